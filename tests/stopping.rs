//! Stop means stop.

use crate::harness::{Raw, World, agents_of, code, gone, open, read_fifo};
use serde_json::json;
use std::io::Write;

/// An agent that says that it runs, then works until it is stopped.
///
/// Opening `held` for reading waits until the agent has opened it; it is closed when nothing of the agent is left.
const WORKS: &str = "cat > prompt.txt; exec 3> held; exec sleep 1000";

/// A goal whose agent is at work; the pipe closes when nothing of the agent is left.
fn at_work(world: &World) -> std::fs::File {
    let held = world.fifo("held");
    world.script("agent.sh", WORKS);
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    open(&held)
}

#[test]
fn after_pause_nothing_of_the_agent_is_left_and_no_round_starts_until_a_resume() {
    let world = World::new();
    let held = at_work(&world);
    let events = world.events();
    world.goal(&["pause"]).exits(0);
    gone(held);
    let ended = events.next("attempt/ended");
    assert_eq!(ended["data"]["outcome"], serde_json::json!({"kind": "interrupted", "cause": "pause"}));
    assert_eq!(agents_of(&world), [0_u32; 0]);
    let status = world.status();
    assert_eq!((status["goal"]["phase"].as_str(), status["activation"].as_str()), (Some("paused"), Some("disarmed")));
    assert_eq!(world.goal(&["pause", "--json"]).json(5)["error"]["code"], "wrong-phase");
    // The round stays open, and the next attempt continues it.
    world.script("agent.sh", "cat > prompt2.txt; \"$GOALD_BIN\" agent complete --summary ok");
    world.goal(&["resume"]).exits(0);
    world.goal(&["wait"]).exits(0);
    let started = world.logged("attempt/started");
    assert_eq!(started.len(), 2);
    assert_eq!(
        (started[1]["data"]["turn"]["round"].as_u64(), started[1]["data"]["number"].as_u64()),
        (Some(1), Some(2))
    );
    assert!(world.read("prompt2.txt").contains("An earlier attempt of this turn was cut off."));
}

#[test]
fn a_message_queued_before_a_pause_is_not_delivered_after_it() {
    let world = World::new();
    let held = at_work(&world);
    world.goal(&["say", "and the readme"]).exits(0);
    assert_eq!(world.status()["goal"]["phase"], "active", "adding a remark is not stopping");
    world.goal(&["pause"]).exits(0);
    gone(held);
    let events = world.events();
    events.next("attempt/ended");
    let status = world.status();
    assert_eq!(status["queued"].as_array().unwrap().len(), 1, "it waits, and is shown");
    assert_eq!(world.logged("attempt/started").len(), 1);
}

#[test]
fn a_late_report_of_a_stopped_attempt_is_refused_and_changes_nothing() {
    let world = World::new();
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    world.script("agent.sh", "trap '' INT; cat > /dev/null; echo up > up; cat go; \"$GOALD_BIN\" agent complete --summary late > said.txt 2>&1; echo \"exit $?\" >> said.txt");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    assert_eq!(read_fifo(&up), "up\n");
    world.goal(&["pause"]).exits(0);
    std::fs::File::create(&go).unwrap().write_all(b"go").unwrap();
    let events = world.events();
    let refused = events.next("claim/refused");
    assert_eq!(refused["data"]["why"]["kind"], "stopping");
    events.next("attempt/ended");
    assert!(world.read("said.txt").contains("exit 5"));
    assert_eq!(world.status()["goal"]["phase"], "paused");
}

#[test]
fn a_pause_after_the_round_takes_effect_when_it_ends_and_resume_withdraws_it() {
    let world = World::new();
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    world.script("agent.sh", "cat > /dev/null; echo up > up; cat go");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    read_fifo(&up);
    world.goal(&["pause", "--after-round"]).exits(0);
    assert_eq!(world.status()["pauseRequested"], true);
    world.goal(&["resume"]).exits(0);
    assert_eq!(world.status()["pauseRequested"], false);
    world.goal(&["pause", "--after-round"]).exits(0);
    std::fs::File::create(&go).unwrap().write_all(b"go").unwrap();
    world.goal(&["wait"]).exits(4);
    let status = world.status();
    assert_eq!((status["goal"]["phase"].as_str(), status["goal"]["roundsStarted"].as_u64()), (Some("paused"), Some(1)));
    assert_eq!(world.logged("attempt/ended")[0]["data"]["outcome"]["kind"], "completed", "the round was let end");
}

#[test]
fn clear_complete_and_block_end_the_running_attempt() {
    for (verb, extra, cause, phase) in [
        ("clear", vec![], "clear", None),
        ("complete", vec![], "complete", Some("complete")),
        ("block", vec!["--reason", "no key"], "block", Some("blocked")),
    ] {
        let world = World::new();
        let held = at_work(&world);
        let events = world.events();
        let args: Vec<&str> = [verb].into_iter().chain(extra).collect();
        world.goal(&args).exits(0);
        gone(held);
        assert_eq!(events.next("attempt/ended")["data"]["outcome"]["cause"], cause);
        assert_eq!(world.status()["goal"]["phase"].as_str(), phase);
        assert_eq!(agents_of(&world), [0_u32; 0]);
    }
}

#[test]
fn a_check_that_never_ends_is_stopped_by_pause_and_runs_again_after_resume() {
    let world = World::new();
    let held = world.fifo("held");
    world.script("agent.sh", "cat > /dev/null");
    world.file("check.sh", "if [ -e ready ]; then exit 0; fi; exec 3> held; exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "--check", "sh check.sh", "x"]).exits(0);
    let held = open(&held);
    assert_eq!(world.status()["session"]["state"], "verifying");
    world.goal(&["pause"]).exits(0);
    gone(held);
    assert_eq!(world.logged("verdict/recorded").len(), 0, "nothing follows from a check that was stopped");
    world.file("ready", "");
    world.goal(&["resume"]).exits(0);
    world.goal(&["wait"]).exits(0);
    let status = world.status();
    assert_eq!(
        (status["goal"]["phase"].as_str(), status["goal"]["roundsStarted"].as_u64()),
        (Some("complete"), Some(1))
    );
}

#[test]
fn an_edit_of_the_content_voids_the_running_turns_claim() {
    let world = World::new();
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    world.script("agent.sh", "cat > /dev/null; [ \"$GOALD_ROUND\" = 1 ] || exit 0; echo up > up; cat go; \"$GOALD_BIN\" agent complete --summary old > said.txt 2>&1; echo \"exit $?\" >> said.txt");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "2", "the old wish"]).exits(0);
    read_fifo(&up);
    world.goal(&["edit", "--objective", "the new wish"]).exits(0);
    std::fs::File::create(&go).unwrap().write_all(b"go").unwrap();
    world.goal(&["wait"]).exits(3);
    assert!(world.read("said.txt").contains("exit 5"), "{}", world.read("said.txt"));
    assert_eq!(world.logged("claim/refused")[0]["data"]["why"]["kind"], "stale-content");
    assert_eq!(world.status()["goal"]["blockedReason"]["code"], "round-limit", "the old claim completed nothing");
}

#[test]
fn run_pauses_on_ctrl_c_and_exits_with_4() {
    let world = World::new();
    let held = world.fifo("held");
    world.script("agent.sh", WORKS);
    let run = world.spawn(&["run", "--agent", "./agent.sh", "x"]);
    let held = open(&held);
    let pid = nix::unistd::Pid::from_raw(i32::try_from(run.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let ran = crate::harness::finished(run.wait_with_output().unwrap());
    ran.exits(4);
    gone(held);
    assert_eq!(world.status()["goal"]["phase"], "paused");
}

#[test]
fn a_daemon_on_its_way_out_takes_no_goal_for_any_workspace() {
    let world = World::new();
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    world.script("agent.sh", "trap '' INT; cat > /dev/null; echo up > up; cat go");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    read_fifo(&up);
    let socket = world.home().join("goald.sock");
    let (mut stopping, mut other) = (Raw::greeted(&socket), Raw::greeted(&socket));
    assert!(stopping.call("daemon.stop", json!({}))["result"].is_object());
    // It waits for its agent, and still answers; nothing new may begin, neither here nor elsewhere.
    std::fs::create_dir(world.home().join("elsewhere")).unwrap();
    for workspace in [world.home().join("elsewhere"), world.work()] {
        let answer = other.call(
            "create",
            json!({
                "target": {"by": "place", "workspace": workspace, "name": "other"},
                "objective": {"from": "inline", "text": "x"},
                "agent": world.work().join("agent.sh"),
                "caller": {"environment": {}, "cwd": world.work()},
            }),
        );
        assert_eq!(code(&answer), "stopping", "{answer}");
    }
    std::fs::File::create(&go).unwrap().write_all(b"go").unwrap();
    assert!(stopping.is_closed());
    assert_eq!(world.logged("attempt/started").len(), 1);
}
