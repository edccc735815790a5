//! What a killed guard leaves is no person's process, and is ended, with whatever environment.

use crate::harness::{World, gone, kill, open, read_fifo};

/// An agent with a child that has left it, its session and its environment, and asks without pause until it is ended.
fn with_a_child(world: &World, child: &str) -> std::fs::File {
    let (up, held) = (world.fifo("up"), world.fifo("held"));
    world.script(
        "child.sh",
        &format!("export GOALD_HOME='{}'; exec 3> held; echo > up; {child}", world.home().display()),
    );
    world.script(
        "agent.sh",
        "cat > /dev/null; env -i PATH=\"$PATH\" sh -c '(setsid ./child.sh > /dev/null 2>&1 &)'; exec sleep 1000",
    );
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    let reader = open(&held);
    read_fifo(&up);
    reader
}

fn guard(world: &World) -> i32 {
    i32::try_from(world.logged("attempt/started")[0]["data"]["guard"]["pid"].as_i64().unwrap()).unwrap()
}

#[test]
fn an_orphan_of_a_killed_guard_stays_below_the_daemon_and_is_ended() {
    let world = World::new();
    let asks = format!("while :; do '{}' clear; echo \"exit $?\" >> said.txt; done", env!("CARGO_BIN_EXE_goal"));
    let reader = with_a_child(&world, &asks);
    let events = world.events();
    kill(guard(&world));
    gone(reader);
    events.next("attempt/ended");
    world.goal(&["pause"]).exits(0);
    let said = world.read("said.txt");
    assert!(!said.contains("exit 0"), "{said}");
    assert_eq!(world.status()["goal"]["phase"], "paused", "it is still there");
    for refused in world.logged("authority/refused") {
        let why = refused["actor"]["why"].as_str().unwrap();
        assert!(["below-daemon", "leftover"].contains(&why), "{refused}");
    }
}

#[test]
fn a_child_with_an_empty_environment_is_found_below_its_marked_parent_after_daemon_and_guard_were_killed() {
    let world = World::new();
    let (up, held) = (world.fifo("up"), world.fifo("held"));
    world.script(
        "agent.sh",
        "cat > /dev/null; (setsid sh -c 'env -i sh -c \"exec 3> held; echo > up; sleep 1000; true\"; true' &); exec sleep 1000",
    );
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    let reader = open(&held);
    read_fifo(&up);
    let (guard, daemon) = (guard(&world), world.daemon_pid());
    // The guard must not see the daemon's end before its own.
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(guard), nix::sys::signal::Signal::SIGSTOP).unwrap();
    kill(daemon);
    kill(guard);
    world.goal(&["status"]).exits(0);
    gone(reader);
}
