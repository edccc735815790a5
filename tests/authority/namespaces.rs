//! Another process namespace: its processes cannot be told by their ancestors, so none is a person's.

use crate::harness::{World, finished, kill, skipped};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Whether namespaces can be made here.
fn unshare() -> Option<Command> {
    let mut command = Command::new("unshare");
    if !nix::unistd::geteuid().is_root() {
        command.args(["--user", "--map-current-user"]);
    }
    command.args(["--pid", "--fork", "--kill-child"]);
    let mut trial = Command::new(command.get_program());
    let works = trial.args(command.get_args()).arg("true").output().is_ok_and(|output| output.status.success());
    if works {
        return Some(command);
    }
    assert!(std::env::var_os("CI").is_none(), "needs a process namespace of its own");
    skipped("another process namespace", "run the tests as root, or allow user namespaces");
    None
}

#[test]
fn a_peer_in_a_namespace_below_the_daemons() {
    let Some(mut command) = unshare() else { return };
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    command.arg(env!("CARGO_BIN_EXE_goal")).arg("clear").current_dir(world.work()).env("GOALD_HOME", world.home());
    finished(command.output().unwrap()).exits(6);
    let refused = &world.logged("authority/refused")[0];
    assert_eq!(refused["actor"]["why"], "other-namespace");
    assert_eq!(refused["data"]["operation"], "clear");
}

#[test]
fn a_peer_that_the_daemons_namespace_does_not_see() {
    let Some(mut command) = unshare() else { return };
    let world = World::new();
    command.arg("--mount-proc").arg(env!("CARGO_BIN_EXE_goal")).args(["daemon", "run"]);
    command.env("GOALD_HOME", world.home()).stdout(Stdio::piped());
    let mut daemon = command.spawn().unwrap();
    let mut first = String::new();
    BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("listens"), "{first}");
    let refused = world.goal(&["daemon", "stop", "--json"]).json(6);
    assert!(refused["error"]["message"].as_str().unwrap().contains("another process namespace"), "{refused}");
    kill(i32::try_from(daemon.id()).unwrap());
    daemon.wait().unwrap();
}

#[test]
fn an_agent_that_runs_its_commands_in_a_namespace_of_their_own_may_still_report() {
    let Some(command) = unshare() else { return };
    let world = World::new();
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_str().unwrap().to_owned())
        .collect();
    let inside = words.join(" ");
    world.script(
        "agent.sh",
        &format!("cat > /dev/null; {inside} \"$GOALD_BIN\" clear > /dev/null 2>&1; echo \"clear $?\" > said.txt; {inside} \"$GOALD_BIN\" agent complete --summary ok"),
    );
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    assert_eq!(world.read("said.txt"), "clear 6\n");
}
