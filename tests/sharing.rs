//! One tree, one worker, over all sessions; and `--share-workspace`, which lifts that for a goal.

use crate::harness::{Raw, World, gone, open, read_fifo};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// An agent that says by one pipe that it works, and works until it reads another.
fn agent(world: &World, name: &str) -> (PathBuf, PathBuf) {
    let (held, go) = (world.fifo(&format!("held-{name}")), world.fifo(&format!("go-{name}")));
    let (held_at, go_at) = (held.display(), go.display());
    world.script(&format!("{name}.sh"), &format!("cat > /dev/null; exec 3> {held_at}; cat {go_at} > /dev/null"));
    (held, go)
}

fn create(world: &World, name: &str, more: &[&str]) -> Value {
    let program = world.work().join(format!("{name}.sh"));
    let agent = ["create", "--json", "-s", name, "--max-rounds", "1", "--agent", program.to_str().unwrap(), "x"];
    world.goal(&[&agent, more].concat()).json(0)
}

fn state(world: &World, name: &str) -> String {
    world.goal(&["status", "--json", "-s", name]).json(0)["session"]["state"].as_str().unwrap().to_owned()
}

fn release(go: &std::path::Path) {
    std::fs::File::create(go).unwrap().write_all(b"go\n").unwrap();
}

/// A session that has nothing to wait for works from start to end. Whoever came before it and waits now does wait, and does
/// not only seem to because nobody has got round to it yet.
fn probe(world: &World) {
    world.script("probe.sh", "cat > /dev/null");
    let run = ["run", "-s", "probe", "--share-workspace", "--max-rounds", "1", "--agent", "./probe.sh", "x"];
    world.goal(&run).exits(3);
}

fn waits(world: &World, name: &str) {
    probe(world);
    assert_eq!(state(world, name), "waiting");
}

/// How attempts started and ended, over all sessions but the probe, as the log has it.
fn course(world: &World) -> Vec<String> {
    let log = world.goal(&["log", "--all", "--json"]).exits(0);
    let log: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let probe = log.iter().find(|event| event["data"]["name"] == "probe").map(|event| &event["session"]);
    log.iter()
        .filter(|event| Some(&event["session"]) != probe)
        .filter_map(|event| event["type"].as_str().unwrap().strip_prefix("attempt/").map(str::to_owned))
        .collect()
}

/// The second attempt started after the first one had ended.
const ONE_AFTER_THE_OTHER: [&str; 4] = ["started", "ended", "started", "ended"];

#[test]
fn two_sessions_of_one_workspace_work_one_after_the_other() {
    let world = World::new();
    let ((held_a, go_a), (held_b, go_b)) = (agent(&world, "a"), agent(&world, "b"));
    let created = create(&world, "a", &[]);
    assert_eq!(created["status"]["goal"]["workspaceUse"], "alone");
    let reader = open(&held_a);
    create(&world, "b", &[]);
    waits(&world, "b");
    release(&go_a);
    gone(reader);
    let reader = open(&held_b);
    release(&go_b);
    gone(reader);
    world.goal(&["wait", "a", "b"]).exits(3);
    assert_eq!(course(&world), ONE_AFTER_THE_OTHER);
}

#[test]
fn one_that_shares_works_beside_another_and_those_that_do_not_still_exclude_each_other() {
    let world = World::new();
    let ((held_a, go_a), (held_b, go_b), (held_c, go_c)) = (agent(&world, "a"), agent(&world, "b"), agent(&world, "c"));
    create(&world, "a", &[]);
    let a = open(&held_a);
    let created = create(&world, "b", &["--share-workspace"]);
    assert_eq!(created["status"]["goal"]["workspaceUse"], "shared");
    // Both pipes are held open for writing: both agents work.
    let b = open(&held_b);
    create(&world, "c", &[]);
    assert_eq!((state(&world, "a"), state(&world, "b")), ("running".to_owned(), "running".to_owned()));
    waits(&world, "c");
    let shown = world.goal(&["status", "-s", "b"]).exits(0);
    assert!(shown.contains("shares the workspace"), "{shown}");
    assert!(!world.goal(&["status", "-s", "a"]).exits(0).contains("shares"));
    release(&go_a);
    gone(a);
    // While b goes on.
    let c = open(&held_c);
    assert_eq!(state(&world, "b"), "running");
    assert_eq!(course(&world), ["started", "started", "ended", "started"]);
    release(&go_c);
    gone(c);
    release(&go_b);
    gone(b);
}

#[test]
fn one_that_shares_is_frozen_so_and_never_has_two_attempts_of_its_own() {
    let world = World::new();
    let (held, go) = agent(&world, "a");
    create(&world, "a", &["--share-workspace"]);
    let reader = open(&held);
    world.goal(&["edit", "-s", "a", "--max-rounds", "2"]).exits(0);
    world.goal(&["say", "-s", "a", "hello"]).exits(0);
    assert_eq!(state(&world, "a"), "running");
    let started = |world: &World| world.goal(&["log", "-s", "a", "--json"]).exits(0).matches("attempt/started").count();
    assert_eq!(started(&world), 1, "the message waits for the round's end");
    world.kill_daemon();
    gone(reader);
    world.goal(&["daemon", "start"]).exits(0);
    let status = world.goal(&["status", "--json", "-s", "a"]).json(0);
    assert_eq!(status["goal"]["workspaceUse"], "shared");
    drop(go);
}

#[test]
fn a_goal_that_shares_no_more_waits_for_the_workspace() {
    let world = World::new();
    let ((held_a, go_a), (held_b, go_b)) = (agent(&world, "a"), agent(&world, "b"));
    create(&world, "a", &[]);
    let a = open(&held_a);
    create(&world, "b", &["--share-workspace"]);
    let b = open(&held_b);
    create(&world, "b", &["--replace"]);
    gone(b);
    world.events().until("the shared attempt ends", |event| event["type"] == "attempt/ended");
    waits(&world, "b");
    release(&go_a);
    gone(a);
    let b = open(&held_b);
    release(&go_b);
    gone(b);
}

#[test]
fn a_workspace_inside_another_is_the_same_tree() {
    let world = World::new();
    let ((held_a, go_a), (held_b, go_b)) = (agent(&world, "a"), agent(&world, "b"));
    std::fs::create_dir(world.work().join("inner")).unwrap();
    create(&world, "a", &["-C", "inner"]);
    let a = open(&held_a);
    create(&world, "b", &[]);
    waits(&world, "b");
    release(&go_a);
    gone(a);
    let b = open(&held_b);
    release(&go_b);
    gone(b);
    world.goal(&["wait", "b"]).exits(3);
    assert_eq!(course(&world), ONE_AFTER_THE_OTHER);
}

#[test]
fn a_workspace_reached_by_a_link_is_the_same_tree() {
    let world = World::new();
    let ((held_a, go_a), (held_b, go_b)) = (agent(&world, "a"), agent(&world, "b"));
    create(&world, "a", &[]);
    let a = open(&held_a);
    let link = world.home().join("link");
    std::os::unix::fs::symlink(world.work(), &link).unwrap();
    let mut raw = Raw::greeted(&world.home().join("goald.sock"));
    let created = raw.call(
        "create",
        json!({
            "target": {"by": "place", "workspace": link, "name": "b"},
            "objective": {"from": "inline", "text": "x"}, "maxRounds": 1, "agent": world.work().join("b.sh"),
            "caller": {"environment": {"PATH": std::env::var("PATH").unwrap()}, "cwd": world.work()},
        }),
    );
    assert_eq!(created["error"], Value::Null, "{created}");
    let session = &created["result"]["status"]["session"]["id"];
    probe(&world);
    let status = raw.call("status", json!({"target": {"by": "session", "session": session}}));
    assert_eq!(status["result"]["session"]["state"], "waiting", "{status}");
    release(&go_a);
    gone(a);
    let b = open(&held_b);
    release(&go_b);
    gone(b);
    world.events().until("it ended", |event| event["type"] == "attempt/ended" && event["session"] == *session);
    assert_eq!(course(&world), ONE_AFTER_THE_OTHER);
}

#[test]
fn an_agent_shares_no_workspace() {
    let world = World::new();
    let script = "cat > /dev/null; \"$GOALD_BIN\" agent create --share-workspace more > said.txt 2>&1; echo \"exit $?\" >> said.txt; \"$GOALD_BIN\" create --share-workspace more >> said.txt 2>&1; echo \"exit $?\" >> said.txt";
    world.script("agent.sh", script);
    world.goal(&["say", "--agent", "./agent.sh", "hello"]).exits(0);
    world.events().next("message/delivered");
    let said = world.read("said.txt");
    assert!(said.contains("exit 2") && said.contains("exit 6"), "{said}");
    assert_eq!(world.status()["goal"], Value::Null);
}

#[test]
fn a_cancelled_check_keeps_the_workspace_until_nothing_of_it_is_left() {
    let world = World::new();
    let (held_b, go_b) = agent(&world, "b");
    let (up, cleaning, go) = (world.fifo("up"), world.fifo("cleaning"), world.fifo("go"));
    world.script("agent.sh", "cat > /dev/null");
    world.file(
        "check.sh",
        "trap 'echo cleaning > cleaning; read -r _ < go; echo checked > last; exit 1' INT; sleep 1000 & echo up > up; wait",
    );
    world.goal(&["create", "--agent", "./agent.sh", "--check", "exec sh check.sh", "x"]).exits(0);
    read_fifo(&up);
    world.goal(&["pause"]).exits(0);
    read_fifo(&cleaning);
    assert_eq!(state(&world, "main"), "stopping");
    create(&world, "b", &[]);
    waits(&world, "b");
    release(&go);
    let b = open(&held_b);
    assert_eq!(world.read("last"), "checked\n", "the check was over when the other agent started");
    release(&go_b);
    gone(b);
    assert_eq!(world.logged("verdict/recorded").len(), 0);
}

#[test]
fn a_slot_that_was_kept_for_a_goal_that_shares_does_for_no_other() {
    let world = World::new();
    let ((held_a, go_a), (up, interrupted, go)) =
        (agent(&world, "a"), (world.fifo("up"), world.fifo("interrupted"), world.fifo("go")));
    world.script(
        "b.sh",
        "[ ! -e once ] || { touch ran; exit 0; }; touch once; trap 'echo yes > interrupted; read -r _ < go; exit 1' INT; cat > /dev/null; sleep 1000 & echo up > up; wait",
    );
    create(&world, "a", &[]);
    let a = open(&held_a);
    create(&world, "b", &["--share-workspace"]);
    read_fifo(&up);
    // The slot is kept for the message, but the goal that shares is gone before its attempt is.
    world.goal(&["say", "-s", "b", "--now", "hello"]).exits(0);
    read_fifo(&interrupted);
    create(&world, "b", &["--replace"]);
    release(&go);
    world.events().until("b's attempt is over", |event| event["type"] == "attempt/ended");
    waits(&world, "b");
    assert_eq!(course(&world), ["started", "started", "ended"]);
    release(&go_a);
    gone(a);
    world.goal(&["wait", "b"]).exits(3);
    assert_eq!(course(&world)[..4], ["started", "started", "ended", "ended"], "after a, not beside it");
    assert!(world.work().join("ran").exists());
}
