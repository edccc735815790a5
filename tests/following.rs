//! Watching and waiting: follow, output, log, wait, and verbs for every session at once.

use crate::harness::{World, finished, open};
use std::io::{BufRead, BufReader, Write};

/// An agent that says something, waits until it may go on, and says something more.
const SPEAKS: &str = "cat > /dev/null; echo first words; exec 3> held; cat go; echo last words";

#[test]
fn follow_tells_what_the_agent_prints_and_ends_when_the_goal_stops() {
    let world = World::new();
    let (held, go) = (world.fifo("held"), world.fifo("go"));
    world.script("agent.sh", SPEAKS);
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    let _reader = open(&held);
    let mut follow = world.spawn(&["follow"]);
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("first words")), "what came before is told too");
    std::fs::File::create(&go).unwrap().write_all(b"go").unwrap();
    let rest: Vec<String> = lines.collect();
    assert!(rest.iter().any(|line| line.contains("last words")), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("goal blocked, round-limit")), "{rest:?}");
    finished(follow.wait_with_output().unwrap()).exits(0);
}

#[test]
fn create_follow_watches_and_exits_well_however_the_goal_ends() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; echo hello");
    let said = world.goal(&["create", "--follow", "--agent", "./agent.sh", "--max-rounds", "2", "x"]).exits(0);
    assert!(said.contains("── round 2") && said.contains("hello") && said.contains("goal blocked"), "{said}");
}

#[test]
fn output_follow_streams_an_attempt_to_its_end() {
    let world = World::new();
    let (held, go) = (world.fifo("held"), world.fifo("go"));
    world.script("agent.sh", SPEAKS);
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    let _reader = open(&held);
    let output = world.spawn(&["output", "1", "--follow"]);
    std::fs::File::create(&go).unwrap().write_all(b"go").unwrap();
    let said = finished(output.wait_with_output().unwrap()).exits(0);
    assert_eq!(said, "first words\ngolast words\n");
    world.goal(&["wait"]).exits(3);
    assert_eq!(world.goal(&["output", "1", "--follow"]).exits(0), said, "the same when it is over");
    assert_eq!(world.goal(&["output", "7", "--json"]).json(8)["error"]["code"], "not-found");
}

#[test]
fn log_since_a_position_or_a_time_shows_what_came_after() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "2", "x"]).exits(3);
    let all = world.log();
    let since = |value: &str| world.goal(&["log", "--json", "--since", value]).exits(0).lines().count();
    assert_eq!(since("4"), all.len() - 4);
    assert_eq!(since(all[0]["at"].as_str().unwrap()), all.len());
    assert_eq!(since("1h"), all.len());
    assert_eq!(since("2100-01-01T00:00:00Z"), 0);
}

#[test]
fn wait_for_any_returns_with_the_first_and_for_all_with_the_worst() {
    let world = World::new();
    world.script("quick.sh", "cat > /dev/null; \"$GOALD_BIN\" agent complete --summary ok");
    world.script("slow.sh", "exec sleep 1000");
    world.goal(&["-s", "slow", "create", "--agent", "./slow.sh", "x"]).exits(0);
    world.goal(&["-s", "quick", "create", "--agent", "./quick.sh", "x"]).exits(0);
    // One tree, one worker: the quick one waits for the slow one's workspace.
    world.goal(&["wait", "slow", "quick", "--any", "--timeout", "50ms"]).exits(124);
    assert_eq!(world.goal(&["-s", "quick", "status", "--json"]).json(0)["session"]["state"], "waiting");
    let all = world.spawn(&["wait", "--all"]);
    world.goal(&["-s", "slow", "pause"]).exits(0);
    world.goal(&["wait", "quick"]).exits(0);
    let said = finished(all.wait_with_output().unwrap());
    // Whether `--all` saw both depends on when it looked; the paused one is the worst of what it saw.
    assert!([0, 4].contains(&said.code), "{said:?}");
    world.goal(&["wait", "slow", "quick"]).exits(4);
    world.goal(&["wait", "quick", "--any"]).exits(0);
}

#[test]
fn pause_all_and_resume_all_reach_every_session() {
    let world = World::new();
    world.script("agent.sh", "exec sleep 1000");
    for name in ["a", "b"] {
        world.goal(&["-s", name, "create", "--agent", "./agent.sh", "x"]).exits(0);
    }
    let phase = |name: &str| {
        let status = world.goal(&["-s", name, "status", "--json"]).json(0);
        (status["goal"]["phase"].as_str().unwrap().to_owned(), status["activation"].as_str().unwrap().to_owned())
    };
    world.goal(&["pause", "--all"]).exits(0);
    for name in ["a", "b"] {
        assert_eq!(phase(name), ("paused".to_owned(), "disarmed".to_owned()));
    }
    world.goal(&["resume", "--all"]).exits(0);
    for name in ["a", "b"] {
        assert_eq!(phase(name), ("active".to_owned(), "armed".to_owned()));
    }
}

#[test]
fn an_objective_and_a_message_come_from_standard_input_too() {
    let world = World::new();
    world.script("agent.sh", "cat >> prompts.txt; \"$GOALD_BIN\" agent complete --summary ok");
    let with_input = |args: &[&str], input: &str| {
        let mut command = world.command(args);
        command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        finished(child.wait_with_output().unwrap())
    };
    with_input(&["run", "--agent", "./agent.sh", "-F", "-"], "said on standard input\n").exits(0);
    with_input(&["say", "-F", "-"], "and this too").exits(0);
    world.events().next("message/delivered");
    let prompts = world.read("prompts.txt");
    assert!(prompts.contains("\"said on standard input\"") && prompts.contains("\"and this too\""), "{prompts}");
}

#[test]
fn the_daemons_own_log_can_be_followed() {
    let world = World::new();
    world.goal(&["daemon", "start"]).exits(0);
    let mut logs = world.spawn(&["daemon", "logs", "--follow"]);
    let mut lines = BufReader::new(logs.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("the daemon listens")));
    world.goal(&["daemon", "stop"]).exits(0);
    assert!(lines.any(|line| line.contains("the daemon has ended")));
    logs.kill().unwrap();
    logs.wait().unwrap();
}
