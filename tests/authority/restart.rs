//! An agent that kills the daemon gains nothing: its tree goes with it, and it cannot start another one.

use crate::harness::{World, gone, open};

#[test]
fn a_daemon_that_an_agent_kills_takes_the_agent_with_it_and_the_goal_stays_disarmed() {
    let world = World::new();
    let held = world.fifo("held");
    let goal = env!("CARGO_BIN_EXE_goal");
    // Quick and out of everything: no session, no parent, no environment.
    world.script(
        "child.sh",
        &format!(
            "export GOALD_HOME='{}'; exec 3> held; while :; do '{goal}' daemon start; echo \"start $?\" >> said.txt; \
             '{goal}' edit --max-rounds 9999; echo \"edit $?\" >> said.txt; \
             '{goal}' resume; echo \"resume $?\" >> said.txt; done",
            world.home().display()
        ),
    );
    world.script(
        "agent.sh",
        "cat > /dev/null; exec 3> held; daemon=$(\"$GOALD_BIN\" daemon status --json | sed 's/.*\"pid\": *\\([0-9]*\\).*/\\1/;t;d'); \
         kill -9 $daemon; env -i PATH=\"$PATH\" sh -c '(setsid ./child.sh > /dev/null 2>&1 &)'; \
         while :; do \"$GOALD_BIN\" resume; echo \"agent $?\" >> said.txt; done",
    );
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "3", "x"]).exits(0);
    gone(open(&held));
    let said = world.read("said.txt");
    assert!(!said.contains(" 0\n"), "nothing succeeded: {said}");
    let status = world.status();
    assert_eq!((status["activation"].as_str(), status["goal"]["maxGoalRounds"].as_u64()), (Some("disarmed"), Some(3)));
    let changes: Vec<_> = world.logged("goal/change").iter().map(|event| event["data"]["operation"].clone()).collect();
    assert_eq!(changes, ["create"]);
}

#[test]
fn a_daemon_is_not_started_below_a_guard_whatever_the_environment() {
    let world = World::new();
    let elsewhere = world.work().join("elsewhere");
    let goal = env!("CARGO_BIN_EXE_goal");
    world.script(
        "agent.sh",
        &format!(
            "cat > /dev/null; exec env -i PATH=\"$PATH\" GOALD_HOME='{}' sh -c '\"{goal}\" daemon start > said.txt 2>&1; echo \"start $?\" >> said.txt; \
             \"{goal}\" daemon run >> said.txt 2>&1; echo \"run $?\" >> said.txt'",
            elsewhere.display()
        ),
    );
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    let said = world.read("said.txt");
    assert!(said.contains("a daemon is never started from inside an agent"), "{said}");
    assert!(said.contains("start 7") && said.contains("run 7"), "{said}");
    assert!(!elsewhere.join("goald.sock").exists());
}
