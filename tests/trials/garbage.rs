//! A client that talks garbage, made of valid requests: never a crash, never a change that was not acknowledged.

use super::figures::Stage;
use super::{Counts, Trial};
use crate::harness::Raw;
use serde_json::{Value, json};

#[test]
fn garbage_changes_nothing_that_is_not_acknowledged() {
    let mut trial = Trial::new("garbage on the socket", Counts { few: 500, short: 5000, full: 100_000 });
    let mut stage = Stage::new();
    stage.world.script("agent.sh", "cat > /dev/null");
    stage.world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "--check", "false", "x"]).exits(0);
    stage.world.goal(&["wait"]).exits(3);
    let before = changes(&stage);
    let mut goal = stage.world.status()["goal"].clone();
    let (mut client, mut granted, mut refused, mut closed) = (stage.client(), 0_u64, 0_u64, 0_u64);
    for _ in 0..trial.count() {
        let mut bytes = garbage(&mut trial.dice, &requests(&stage.place(), &goal));
        bytes.push(b'\n');
        client.send(&bytes);
        client.send(b"{\"jsonrpc\":\"2.0\",\"id\":4242424242,\"method\":\"daemon.status\"}\n");
        loop {
            let Some(answer) = client.line() else {
                closed += 1;
                client = Raw::greeted(&stage.world.home().join("goald.sock"));
                break;
            };
            if answer["id"] == 4_242_424_242_u64 {
                break;
            }
            refused += u64::from(answer["error"].is_object());
            if answer["result"]["changed"] == true {
                granted += 1;
                goal = answer["result"]["status"]["goal"].clone();
            }
        }
    }
    stage.unharmed();
    assert_eq!(changes(&stage) - before, granted, "each change was acknowledged, and each acknowledged one is there");
    assert_eq!(stage.world.status()["goal"]["revision"], goal["revision"]);
    stage.no_panic();
    trial.result("granted", granted);
    trial.result("refused", refused);
    trial.result("hung up on", closed);
    trial.result("peak memory", format!("{} KiB", stage.kib("VmHWM")));
    assert!(stage.kib("VmHWM") < 64 * 1024);
}

/// How many changes of people are in the log.
fn changes(stage: &Stage) -> u64 {
    let asked = |event: &&Value| event["actor"]["kind"] == "human" && event["type"] != "session/opened";
    u64::try_from(stage.world.log().iter().filter(asked).count()).expect("fits")
}

fn requests(place: &Value, goal: &Value) -> Vec<String> {
    let reference = json!({"id": goal["id"], "revision": goal["revision"]});
    let calls = [
        ("status", json!({"target": place})),
        ("list", json!({})),
        ("log", json!({"target": place, "after": 0})),
        ("rounds", json!({"target": place})),
        ("output", json!({"target": place, "offset": 0})),
        ("wait", json!({"targets": [place], "mode": "any", "timeoutMs": 1})),
        ("edit", json!({"target": place, "ref": reference, "maxRounds": 2 + goal["revision"].as_u64().unwrap() % 100})),
        ("edit", json!({"target": place, "ref": reference, "objective": {"from": "inline", "text": "do \u{1f600}"}})),
        ("edit", json!({"target": place, "ref": reference, "checks": ["false"]})),
        ("pause", json!({"target": place, "ref": reference})),
        ("agent.complete", json!({"summary": "done"})),
        ("hello", json!({"version": 1, "via": "cli"})),
    ];
    let line = |(id, (method, params)): (usize, (&str, Value))| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    calls.into_iter().enumerate().map(line).collect()
}

/// A valid request with something done to it; sometimes nothing.
fn garbage(dice: &mut fastrand::Rng, requests: &[String]) -> Vec<u8> {
    let mut pick = || dice.choice(requests).expect("some").clone().into_bytes();
    let (mut bytes, other) = (pick(), pick());
    for _ in 0..dice.usize(0..4) {
        let at = dice.usize(0..=bytes.len());
        match dice.u8(0..5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << dice.u8(0..8),
            1 => bytes.truncate(at),
            2 => {
                let end = dice.usize(at..=bytes.len());
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            3 => {
                let from = dice.usize(0..other.len());
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            _ => bytes.insert(at, dice.u8(..)),
        }
    }
    bytes
}
