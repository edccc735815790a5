//! The daemon's life: started on first need, one a home, stopped gracefully.

use crate::harness::{World, finished};
use std::process::{Command, Stdio};

#[test]
fn the_first_command_starts_it_detached_from_the_callers_pipes() {
    let world = World::new();
    // The shell waits for the end of its pipe: a daemon that held it would hang this for ever.
    let mut shell = Command::new("sh");
    shell.args(["-c", "x=$(\"$0\" list 2>&1); echo \"got: $x\"", env!("CARGO_BIN_EXE_goal")]);
    shell.env("GOALD_HOME", world.home()).current_dir(world.work()).stdin(Stdio::null());
    let said = finished(shell.output().unwrap()).exits(0);
    assert_eq!(said, "got: no sessions; goal create OBJECTIVE opens one\n");
    world.goal(&["daemon", "status"]).exits(0);
}

#[test]
fn twenty_first_commands_at_once_share_one_daemon() {
    let world = World::new();
    let children: Vec<_> = (0..20).map(|_| world.spawn(&["daemon", "start", "--json"])).collect();
    let pids: Vec<u64> = children
        .into_iter()
        .map(|child| finished(child.wait_with_output().unwrap()).json(0)["pid"].as_u64().unwrap())
        .collect();
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
}

#[test]
fn a_second_daemon_on_the_same_home_refuses_and_the_first_goes_on() {
    let world = World::new();
    world.goal(&["daemon", "start"]).exits(0);
    let pid = world.daemon_pid();
    let second = world.goal(&["daemon", "run"]);
    assert!(second.stderr.contains(&format!("runs already (pid {pid})")), "{second:?}");
    second.exits(7);
    assert_eq!(world.daemon_pid(), pid);
}

#[test]
fn stop_ends_it_and_status_then_says_so_with_exit_7() {
    let world = World::new();
    world.goal(&["daemon", "status"]).exits(7);
    world.goal(&["daemon", "start"]).exits(0);
    world.goal(&["daemon", "stop"]).exits(0);
    world.goal(&["daemon", "status"]).exits(7);
    world.goal(&["daemon", "stop"]).exits(7);
    assert!(!world.home().join("goald.sock").exists());
    assert!(world.goal(&["daemon", "logs"]).exits(0).contains("the daemon has ended"));
}

#[test]
fn a_stale_socket_of_a_killed_daemon_is_no_obstacle() {
    let world = World::new();
    world.goal(&["daemon", "start"]).exits(0);
    world.kill_daemon();
    assert!(world.home().join("goald.sock").exists());
    world.goal(&["list"]).exits(0);
}

#[test]
fn a_log_of_a_newer_goald_is_refused_and_left_as_it_is() {
    let world = World::new();
    world.goal(&["daemon", "start"]).exits(0);
    world.goal(&["daemon", "stop"]).exits(0);
    let database = world.home().join("goald.db");
    rusqlite::Connection::open(&database).unwrap().pragma_update(None, "user_version", 999).unwrap();
    let before = std::fs::read(&database).unwrap();
    let refused = world.goal(&["list"]);
    assert!(refused.stderr.contains("format 999"), "{refused:?}");
    refused.exits(7);
    assert!(std::fs::read(&database).unwrap() == before, "not a byte is changed");
}

#[test]
fn a_damaged_session_says_what_and_where_and_the_others_go_on() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.goal(&["run", "-s", "hurt", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    world.goal(&["run", "-s", "well", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    world.goal(&["daemon", "stop"]).exits(0);
    let database = rusqlite::Connection::open(world.home().join("goald.db")).unwrap();
    database.execute_batch("DROP TRIGGER events_are_never_changed; UPDATE events SET data = replace(data, '\"maxGoalRounds\":1', '\"maxGoalRounds\":9') WHERE position = 2;").unwrap();
    drop(database);
    let refused = world.goal(&["status", "-s", "hurt", "--json"]).json(1);
    assert_eq!(refused["error"]["code"], "log-damaged");
    assert!(refused["error"]["message"].as_str().unwrap().contains("at position 2"), "{refused}");
    world.goal(&["resume", "-s", "hurt"]).exits(1);
    world.goal(&["status", "-s", "well"]).exits(0);
    assert!(world.goal(&["list"]).exits(0).contains("damaged"));
}

#[test]
fn a_configuration_that_cannot_be_read_says_file_and_line_and_keeps_nobody_from_stopping() {
    let world = World::new();
    world.script("agent.sh", "exec sleep 1000");
    world.goal(&["create", "-s", "running", "--agent", "./agent.sh", "x"]).exits(0);
    world.config("maxAttempts = 3\nfrobnicate = 1\n");
    let refused = world.goal(&["create", "--agent", "./agent.sh", "x", "--json"]).json(2);
    assert_eq!(refused["error"]["code"], "bad-config");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("config.toml") && message.contains("line 2") && message.contains("frobnicate"),
        "{message}"
    );
}

#[test]
fn a_daemon_started_on_demand_listens_where_the_client_looks() {
    let world = World::new();
    let socket = world.work().join("own.sock");
    let at_socket = |args: &[&str]| finished(world.command(args).env("GOALD_SOCKET", "own.sock").output().unwrap());
    at_socket(&["list"]).exits(0);
    assert!(socket.exists());
    at_socket(&["daemon", "stop"]).exits(0);
}

#[test]
fn a_daemon_holds_nothing_open_that_its_starter_had_open() {
    let world = World::new();
    let held = world.fifo("held");
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec 9> held; \"$0\" daemon start > /dev/null; echo started", env!("CARGO_BIN_EXE_goal")]);
    shell.env("GOALD_HOME", world.home()).current_dir(world.work()).stdin(Stdio::null()).stdout(Stdio::piped());
    let child = shell.spawn().unwrap();
    let reader = crate::harness::open(&held);
    finished(child.wait_with_output().unwrap()).exits(0);
    // The shell is gone and the daemon runs: only the daemon could still hold it.
    crate::harness::gone(reader);
    world.goal(&["daemon", "status"]).exits(0);
}

#[test]
fn a_program_that_was_replaced_while_its_daemon_runs_goes_on_with_its_own_guard() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; echo worked");
    let binary = world.work().join("goal");
    crate::harness::executable(&binary, &std::fs::read(env!("CARGO_BIN_EXE_goal")).unwrap());
    let mut start = Command::new(&binary);
    finished(start.args(["daemon", "start"]).env("GOALD_HOME", world.home()).output().unwrap()).exits(0);
    std::fs::remove_file(&binary).unwrap();
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "--check", "true", "x"]).exits(0);
}
