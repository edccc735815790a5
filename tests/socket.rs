//! The socket protocol: what is broken gets a clear error and harms nobody.

use crate::harness::{Raw, World, code};
use serde_json::{Value, json};

fn greeted(world: &World) -> Raw {
    world.goal(&["daemon", "start"]).exits(0);
    Raw::greeted(&world.home().join("goald.sock"))
}

fn place(world: &World) -> Value {
    json!({"by": "place", "workspace": world.work().canonicalize().unwrap(), "name": "main"})
}

#[test]
fn hello_comes_first_and_names_a_version_that_is_spoken() {
    let world = World::new();
    world.goal(&["daemon", "start"]).exits(0);
    assert_eq!(code(&world.raw().call("list", json!({}))), "unsupported-version");
    assert_eq!(code(&world.raw().call("hello", json!({"version": 2, "via": "cli", "news": 1}))), "unsupported-version");
    assert_eq!(code(&world.raw().call("hello", json!({"version": 1, "via": "timer"}))), "bad-request");
}

#[test]
fn what_cannot_be_read_gets_a_clear_error() {
    let world = World::new();
    let mut raw = greeted(&world);
    raw.send(b"nonsense\n");
    assert_eq!(code(&raw.line().unwrap()), "bad-request");
    raw.send(format!("{}1{}\n", "[".repeat(100_000), "]".repeat(100_000)).as_bytes());
    assert_eq!(code(&raw.line().unwrap()), "bad-request");
    assert_eq!(code(&raw.call("frobnicate", json!({}))), "unknown-method");
    assert_eq!(code(&raw.call("status", json!({"target": {"by": "magic"}}))), "bad-request");
    assert_eq!(code(&raw.call("list", json!({"unknown": 1}))), "bad-request");
    assert!(raw.call("list", json!({}))["result"].is_object(), "the connection goes on");
}

#[test]
fn an_oversized_line_and_broken_utf_8_close_their_own_connection_only() {
    let world = World::new();
    let mut other = greeted(&world);
    for (bytes, expected) in [(vec![b'x'; 1_100_000], "frame-too-long"), (b"\xff\xfe\n".to_vec(), "bad-request")] {
        let mut raw = greeted(&world);
        raw.send(&bytes);
        raw.send(b"\n");
        assert_eq!(code(&raw.line().unwrap()), expected);
        assert!(raw.is_closed());
    }
    assert!(other.call("list", json!({}))["result"].is_object());
}

#[test]
fn a_repeated_request_with_its_key_changes_nothing_twice() {
    let world = World::new();
    world.script("agent.sh", "exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    let mut raw = greeted(&world);
    let goal = world.status()["goal"].clone();
    let params = json!({"target": place(&world), "ref": {"id": goal["id"], "revision": goal["revision"]}, "maxRounds": 7, "idempotencyKey": "k-1"});
    let first = raw.call("edit", params.clone());
    assert_eq!(first["result"]["status"]["goal"]["revision"], 2, "{first}");
    // Without the key it would now be stale. It is recognised by another daemon, too.
    assert_eq!(raw.call("edit", params.clone())["result"]["status"]["goal"]["revision"], 2);
    world.kill_daemon();
    let mut raw = greeted(&world);
    let again = raw.call("edit", params.clone());
    assert_eq!(
        (again["result"]["changed"].as_bool(), again["result"]["status"]["goal"]["revision"].as_u64()),
        (Some(true), Some(2))
    );
    let mut stale = params;
    stale["idempotencyKey"] = json!("k-2");
    assert_eq!(code(&raw.call("edit", stale)), "stale-revision");
}

#[test]
fn a_subscription_from_a_position_misses_nothing_and_tells_nothing_twice() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "30", "--check", "false", "x"]).exits(0);
    let mut raw = greeted(&world);
    raw.call("log.subscribe", json!({"after": 3}));
    let mut positions = Vec::new();
    loop {
        let told = raw.line().unwrap();
        positions.push(told["params"]["position"].as_u64().unwrap());
        if told["params"]["data"]["operation"] == "block" {
            break;
        }
    }
    let all: Vec<u64> =
        world.log().iter().map(|event| event["position"].as_u64().unwrap()).filter(|position| *position > 3).collect();
    assert_eq!(positions, all);
}

#[test]
fn a_client_that_never_reads_harms_nobody() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; head -c 3000000 /dev/zero | tr '\\0' x");
    let mut silent = greeted(&world);
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "3", "x"]).exits(0);
    silent.send(
        format!("{}\n", json!({"jsonrpc": "2.0", "id": 9, "method": "log.subscribe", "params": {"after": 0}}))
            .as_bytes(),
    );
    silent.send(
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": 10, "method": "output.subscribe", "params": {"target": place(&world)}})
        )
        .as_bytes(),
    );
    world.goal(&["wait"]).exits(3);
    world.goal(&["daemon", "stop"]).exits(0);
}
