//! Killed anywhere: nothing acknowledged is lost, nothing is left, and no work starts by itself.

use crate::harness::{World, agents_of, gone, kill, open, read_fifo};
use std::time::{Duration, Instant};

/// An agent with a child of its own, both of which hold a pipe open while they live.
const WORKS: &str = "cat > /dev/null; exec 3> held; (setsid sleep 1000 &); echo up > up; exec sleep 1000";

/// A goal whose agent and its child are at work; the pipe closes when nothing of them is left.
fn at_work(world: &World) -> std::fs::File {
    let (up, held) = (world.fifo("up"), world.fifo("held"));
    world.script("agent.sh", WORKS);
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    let reader = open(&held);
    read_fifo(&up);
    reader
}

#[test]
fn kill_9_of_the_daemon_leaves_no_agent_and_resume_runs_attempt_2_of_the_same_round() {
    let world = World::new();
    let reader = at_work(&world);
    let before = world.log();
    let pid = world.daemon_pid();
    let began = Instant::now();
    kill(pid);
    gone(reader);
    let gone = began.elapsed();
    assert!(gone < Duration::from_secs(1), "the promise is 100 ms; this took {gone:?}");
    assert_eq!(agents_of(&world), [0_u32; 0]);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(agents_of(&world), [0_u32; 0], "still none a second later");

    // The next daemon has every event, the lost attempt closed, and starts nothing.
    let status = world.status();
    assert_eq!(
        (status["activation"].as_str(), status["session"]["state"].as_str()),
        (Some("disarmed"), Some("stopped"))
    );
    assert_eq!((status["goal"]["phase"].as_str(), status["goal"]["roundsStarted"].as_u64()), (Some("active"), Some(1)));
    assert!(world.goal(&["status"]).exits(0).contains("it needs a resume → goal resume"));
    world.goal(&["wait"]).exits(4);
    let after = world.log();
    assert_eq!(after[..before.len()], before[..]);
    assert_eq!(after.last().unwrap()["data"]["outcome"]["kind"], "lost");

    world.script("agent.sh", "cat > prompt.txt; \"$GOALD_BIN\" agent complete --summary ok");
    world.goal(&["resume"]).exits(0);
    world.goal(&["wait"]).exits(0);
    let second = world.logged("attempt/started").pop().unwrap();
    assert_eq!((second["data"]["turn"]["round"].as_u64(), second["data"]["number"].as_u64()), (Some(1), Some(2)));
    assert_eq!(world.logged("round/admitted").len(), 1);
    assert!(world.read("prompt.txt").contains("cut off"));
}

#[test]
fn kill_9_of_the_guard_ends_the_agent_and_the_round_is_tried_again() {
    let world = World::new();
    let (up, held) = (world.fifo("up"), world.fifo("held"));
    world.script(
        "agent.sh",
        &format!(
            "[ -e second ] && {{ \"$GOALD_BIN\" agent complete --summary ok; exit; }}; touch second; {}",
            "cat > /dev/null; exec 3> held; echo up > up; exec sleep 1000"
        ),
    );
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    let reader = open(&held);
    read_fifo(&up);
    let guard = world.logged("attempt/started")[0]["data"]["guard"]["pid"].as_i64().unwrap();
    kill(i32::try_from(guard).unwrap());
    gone(reader);
    world.goal(&["wait"]).exits(0);
    let ended = world.logged("attempt/ended");
    assert_eq!(ended[0]["data"]["outcome"]["kind"], "lost");
    assert_eq!(ended[0]["data"]["next"]["kind"], "retry");
    assert_eq!(world.status()["goal"]["roundsStarted"], 1);
}

#[test]
fn kill_9_of_daemon_and_guard_at_once_leaves_nothing_after_the_next_start() {
    let world = World::new();
    let reader = at_work(&world);
    let guard = world.logged("attempt/started")[0]["data"]["guard"]["pid"].as_i64().unwrap();
    let daemon = world.daemon_pid();
    // The guard must not see the daemon's end before its own.
    let guard = i32::try_from(guard).unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(guard), nix::sys::signal::Signal::SIGSTOP).unwrap();
    kill(daemon);
    kill(guard);
    world.goal(&["status"]).exits(0);
    gone(reader);
    assert_eq!(agents_of(&world), [0_u32; 0]);
}

#[test]
fn a_stopped_daemon_starts_nothing_when_it_is_back() {
    let world = World::new();
    let reader = at_work(&world);
    world.goal(&["daemon", "restart"]).exits(0);
    gone(reader);
    let status = world.status();
    assert_eq!((status["activation"].as_str(), status["attempt"].is_null()), (Some("disarmed"), true));
    assert_eq!(world.logged("attempt/ended")[0]["data"]["outcome"]["cause"], "daemon-stop");
    assert_eq!(world.logged("attempt/started").len(), 1);
}

#[test]
fn an_acknowledged_change_is_there_after_kill_9() {
    let world = World::new();
    world.script("agent.sh", "exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    for round in 10..20 {
        world.goal(&["edit", "--max-rounds", &round.to_string()]).exits(0);
        world.kill_daemon();
        assert_eq!(world.status()["goal"]["maxGoalRounds"], round);
    }
}

#[test]
fn replay_gives_the_same_log_and_the_same_goal() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "3", "--check", "false", "x"]).exits(3);
    let (log, status) = (world.log(), world.status());
    world.goal(&["daemon", "restart"]).exits(0);
    assert_eq!(world.log(), log);
    assert_eq!(world.status()["goal"], status["goal"]);
}

#[test]
fn an_attempt_that_had_said_its_end_before_the_daemon_died_is_closed_by_it_and_checked_first_after_resume() {
    let world = World::new();
    let held = world.fifo("held");
    let say_end =
        r#"echo '{"type":"session","id":"s-4"}'; echo '{"type":"end","result":"completed","text":"all done"}'"#;
    world.script("agent.sh", &format!("cat > /dev/null; {say_end}; exec 3> held; exec sleep 1000"));
    let agent = world.work().join("agent.sh");
    world.config(&format!("[agents.j]\nkind = 'command'\ncommand = ['{}']\noutput = 'json-lines'\n", agent.display()));
    world.goal(&["create", "--max-rounds", "1", "--check", "true", "x"]).exits(0);
    let reader = open(&held);
    // The end is in the output file before the daemon dies.
    let mut output = world.spawn(&["output", "--follow"]);
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(output.stdout.take().unwrap()));
    assert!(lines.any(|line| line.unwrap().contains("all done")));
    world.kill_daemon();
    gone(reader);
    output.wait().unwrap();
    let status = world.status();
    assert_eq!((status["activation"].as_str(), status["goal"]["phase"].as_str()), (Some("disarmed"), Some("active")));
    let ended = &world.logged("attempt/ended")[0]["data"];
    assert_eq!((ended["outcome"]["kind"].as_str(), ended["agentSession"].as_str()), (Some("completed"), Some("s-4")));
    world.goal(&["resume"]).exits(0);
    world.goal(&["wait"]).exits(0);
    assert_eq!(world.logged("attempt/started").len(), 1, "no second attempt was paid for");
}
