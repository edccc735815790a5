//! With a daemon at work: read beside it, which it does not notice.

use super::{codes, report};
use crate::harness::{World, open, read_fifo};
use goald_schema::doctor::{DaemonSeen, FindingCode};

#[test]
fn beside_a_daemon_at_work_all_is_well_and_the_work_goes_on() {
    let world = World::new();
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    // The agent may look too: it opens files that are its user's.
    world.script(
        "agent.sh",
        "cat > /dev/null; echo up > up; cat go > /dev/null; \"$GOALD_BIN\" doctor > seen; echo $? > code; touch done",
    );
    world.goal(&["create", "--agent", "./agent.sh", "--check", "test -e done", "a goal"]).exits(0);
    read_fifo(&up);
    let pid = world.daemon_pid();
    let log = world.log();
    let found = report(world.goal(&["doctor", "--json"]), 0);
    assert_eq!(found.daemon, DaemonSeen::Runs);
    assert!(found.findings.iter().any(|finding| finding.message == format!("a daemon runs (pid {pid})")), "{found:?}");
    assert!(found.findings.iter().any(|finding| finding.message.starts_with("the daemon answers")), "{found:?}");
    assert_eq!(world.log(), log);
    std::fs::write(&go, "").expect("told");
    world.goal(&["wait"]).exits(0);
    assert_eq!((world.read("code").trim(), world.daemon_pid()), ("0", pid), "{}", world.read("seen"));
}

#[test]
fn a_daemon_that_hangs_is_told() {
    let world = World::new();
    world.goal(&["daemon", "start"]).exits(0);
    let pid = nix::unistd::Pid::from_raw(world.daemon_pid());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGSTOP).expect("stopped");
    let ran = world.goal(&["doctor", "--json"]);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGCONT).expect("goes on");
    assert_eq!(codes(&report(ran, 1).findings), ["daemon-silent"]);
}

#[test]
fn a_daemon_that_has_seen_damage_is_told_with_what_it_has_seen() {
    let world = super::kept();
    rusqlite::Connection::open(world.home().join("goald.db"))
        .and_then(|raw| raw.execute_batch("DROP TRIGGER events_are_never_deleted"))
        .expect("dropped");
    world.goal(&["daemon", "start"]).exits(0);
    let found = report(world.goal(&["doctor", "--json"]), 1);
    assert_eq!(codes(&found.findings), ["daemon-refuses", "log-structure"], "{found:?}");
}

#[test]
fn a_socket_of_another_state_folder_is_told() {
    let (world, other) = (World::new(), World::new());
    other.goal(&["daemon", "start"]).exits(0);
    let mut command = world.command(&["doctor", "--json"]);
    let ran = command.env("GOALD_SOCKET", other.home().join("goald.sock")).output().expect("started");
    let found = report(crate::harness::finished(ran), 1);
    assert!(codes(&found.findings).contains(&FindingCode::DaemonElsewhere.as_str()), "{found:?}");
}

#[test]
fn a_look_holds_no_pipe_open() {
    let world = World::new();
    let held = world.fifo("held");
    let mut shell = std::process::Command::new("sh");
    let inner = world.command(&["doctor"]);
    shell.args(["-c", "exec 3> held; \"$0\" doctor > /dev/null", env!("CARGO_BIN_EXE_goal")]).current_dir(world.work());
    shell.env_clear().envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = shell.spawn().expect("started");
    crate::harness::gone(open(&held));
    child.wait().expect("ended");
    world.goal(&["daemon", "status"]).exits(7);
}

#[test]
fn daemons_that_come_and_go_meanwhile_are_no_damage() {
    let world = super::kept();
    world.goal(&["daemon", "start"]).exits(0);
    let script = "for i in 1 2 3 4 5; do \"$0\" daemon restart; kill -9 $(cat \"$GOALD_HOME/goald.lock\"); \"$0\" daemon start; done";
    let mut shell = std::process::Command::new("sh");
    let inner = world.command(&[]);
    shell
        .args(["-c", script, env!("CARGO_BIN_EXE_goal")])
        .current_dir(world.work())
        .stdout(std::process::Stdio::null());
    shell.env_clear().envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = shell.spawn().expect("started");
    let mut looks = 0;
    while child.try_wait().expect("asked").is_none() || looks == 0 {
        report(world.goal(&["doctor", "--json"]), 0);
        looks += 1;
    }
}
