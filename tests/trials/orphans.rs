//! What agents leave running ends with the right attempt, and nobody else's process is touched.

use super::{Counts, Trial};
use crate::harness::{World, gone, kill, open};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// An agent that starts two processes that leave its session, one of them with an empty environment, and goes on itself.
/// Each holds a pipe of its own while it lives, and all have the same arguments.
const LEAVES: &str = "cat > /dev/null
(setsid sh -c 'exec 3> marked; exec sleep 1000' &)
(env -i PATH=\"$PATH\" setsid sh -c '(exec 3> empty; exec sleep 1000) & ' &)
exec 3> own; exec sleep 1000";

/// One session at work in a workspace of its own, with everything that it has running.
struct AtWork {
    workspace: PathBuf,
    held: [File; 3],
}

impl AtWork {
    fn start(world: &World, name: &str) -> Self {
        let workspace = world.work().join(name);
        std::fs::create_dir(&workspace).unwrap();
        let pipes = ["marked", "empty", "own"].map(|pipe| world.fifo(&format!("{name}/{pipe}")));
        let mut create = world.command(&["create", "--agent", "../agent.sh", "x"]);
        crate::harness::finished(create.current_dir(&workspace).output().unwrap()).exits(0);
        Self { workspace, held: pipes.map(|pipe| open(&pipe)) }
    }

    fn goal(&self, world: &World, args: &[&str]) -> crate::harness::Ran {
        crate::harness::finished(world.command(args).current_dir(&self.workspace).output().unwrap())
    }

    fn guard(&self, world: &World) -> i32 {
        let text = self.goal(world, &["log", "--json"]).exits(0);
        let mut events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let started = events.rfind(|event| event["type"] == "attempt/started").unwrap();
        i32::try_from(started["data"]["guard"]["pid"].as_i64().unwrap()).unwrap()
    }

    /// Whether everything that it started still runs.
    fn goes_on(&self) -> bool {
        self.held.iter().all(|pipe| {
            let mut watched = [nix::poll::PollFd::new(std::os::fd::AsFd::as_fd(pipe), nix::poll::PollFlags::POLLIN)];
            nix::poll::poll(&mut watched, nix::poll::PollTimeout::ZERO).unwrap() == 0
        })
    }

    fn until_gone(self) {
        self.held.into_iter().for_each(gone);
    }
}

/// A process of the test's own that looks just like what the agents leave.
struct Bystander(Child);

impl Bystander {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new("sleep");
        Self(command.arg("1000").current_dir(folder).stdin(Stdio::null()).spawn().unwrap())
    }

    fn assert_untouched(mut self) {
        assert_eq!(self.0.try_wait().unwrap(), None, "a bystander was ended");
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

const COUNTS: Counts = Counts { few: 2, short: 5, full: 50 };

#[test]
fn a_pause_ends_its_own_sessions_orphans_and_no_others() {
    let trial = Trial::new("orphans: pause", COUNTS);
    for _ in 0..trial.count() {
        let world = World::new();
        world.script("agent.sh", LEAVES);
        let (one, other) = (AtWork::start(&world, "one"), AtWork::start(&world, "other"));
        let bystander = Bystander::start(&other.workspace);
        one.goal(&world, &["pause"]).exits(0);
        one.until_gone();
        assert!(other.goes_on(), "the other session's were ended too");
        other.goal(&world, &["clear"]).exits(0);
        other.until_gone();
        bystander.assert_untouched();
    }
}

#[test]
fn a_killed_guards_orphans_are_ended_whatever_their_environment_and_no_others() {
    let trial = Trial::new("orphans: guard killed", COUNTS);
    for _ in 0..trial.count() {
        let world = World::new();
        world.script("agent.sh", LEAVES);
        let (one, other) = (AtWork::start(&world, "one"), AtWork::start(&world, "other"));
        let bystander = Bystander::start(&other.workspace);
        // The next attempt waits: there is nothing to tell apart from what the first one left.
        world.script("agent.sh", "exec sleep 1000");
        kill(one.guard(&world));
        one.until_gone();
        assert!(other.goes_on(), "the other session's were ended too");
        other.goal(&world, &["pause"]).exits(0);
        other.until_gone();
        bystander.assert_untouched();
        assert_eq!(zombies_of(world.daemon_pid()), 0, "what was ended is reaped");
    }
}

#[test]
fn two_attempts_whose_guards_and_daemon_were_killed_are_both_cleared_away_at_the_next_start() {
    let trial = Trial::new("orphans: daemon and guards killed", COUNTS);
    for _ in 0..trial.count() {
        let world = World::new();
        // None with an empty environment here: with nobody left above it there is nothing to know it by.
        world.script("agent.sh", &LEAVES.replace("env -i PATH=\"$PATH\" ", ""));
        let (one, other) = (AtWork::start(&world, "one"), AtWork::start(&world, "other"));
        let bystander = Bystander::start(&other.workspace);
        let (daemon, guards) = (world.daemon_pid(), [one.guard(&world), other.guard(&world)]);
        for guard in guards {
            let guard = nix::unistd::Pid::from_raw(guard);
            nix::sys::signal::kill(guard, nix::sys::signal::Signal::SIGSTOP).unwrap();
        }
        kill(daemon);
        guards.into_iter().for_each(kill);
        world.goal(&["status"]).exits(0);
        one.until_gone();
        other.until_gone();
        bystander.assert_untouched();
    }
}

#[test]
fn what_a_check_left_whose_guard_and_daemon_were_killed_is_ended_at_the_next_start() {
    let trial = Trial::new("orphans: a check's", COUNTS);
    for _ in 0..trial.count() {
        let world = World::new();
        let (held, main) = (world.fifo("held"), world.fifo("main"));
        world.script("agent.sh", "cat > /dev/null");
        world.file(
            "check.sh",
            "(setsid sh -c 'exec 3> held; exec sleep 1000' &); echo $PPID > guard; exec 3> main; exec sleep 1000",
        );
        world.goal(&["create", "--agent", "./agent.sh", "--check", "exec sh check.sh", "x"]).exits(0);
        let (held, main) = (open(&held), open(&main));
        let bystander = Bystander::start(&world.work());
        let (daemon, guard) = (world.daemon_pid(), world.read("guard").trim().parse().unwrap());
        let stopped = nix::unistd::Pid::from_raw(guard);
        nix::sys::signal::kill(stopped, nix::sys::signal::Signal::SIGSTOP).unwrap();
        kill(daemon);
        kill(guard);
        gone(main);
        world.goal(&["status"]).exits(0);
        gone(held);
        bystander.assert_untouched();
    }
}

#[test]
fn what_a_check_left_whose_guard_was_killed_is_ended_before_its_verdict() {
    let world = World::new();
    let held = world.fifo("held");
    world.script("agent.sh", "cat > /dev/null");
    world.file(
        "check.sh",
        "(env -i PATH=\"$PATH\" setsid sh -c 'exec 3> held; exec sleep 1000' &); cat go; kill -9 $PPID; exec sleep 1000",
    );
    let go = world.fifo("go");
    world.goal(&["create", "--agent", "./agent.sh", "--check", "exec sh check.sh", "x"]).exits(0);
    let held = open(&held);
    std::fs::write(&go, "go").unwrap();
    world.goal(&["wait"]).exits(3);
    let mut watched = [nix::poll::PollFd::new(std::os::fd::AsFd::as_fd(&held), nix::poll::PollFlags::POLLHUP)];
    assert_eq!(nix::poll::poll(&mut watched, nix::poll::PollTimeout::ZERO).unwrap(), 1, "it is gone by now");
    assert_eq!(world.status()["goal"]["blockedReason"]["code"], "verifier-failed");
}

/// How many children of a process are over and not reaped.
fn zombies_of(parent: i32) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let own = std::fs::metadata("/proc/self").unwrap().uid();
    let stats = entries.filter(|entry| entry.metadata().is_ok_and(|meta| meta.uid() == own));
    let stats = stats.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let zombie = format!(") Z {parent} ");
    stats.filter(|stat| stat.contains(&zombie)).count()
}
