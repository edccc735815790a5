//! Hostile clients: each gets a clear error or a clean close, others are unharmed, memory stays bounded.

use super::figures::Stage;
use super::{Counts, Trial};
use crate::harness::{Raw, code};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

/// The most memory that the daemon may take under any of this, in KiB.
const MEMORY: u64 = 64 * 1024;

fn bounded(trial: &mut Trial, stage: &Stage) {
    let peak = stage.kib("VmHWM");
    trial.result("peak memory, limit 64 MiB:", format!("{peak} KiB"));
    assert!(peak < MEMORY, "{peak} KiB");
    stage.no_panic();
}

fn request(id: u64, method: &str, params: Value) -> Vec<u8> {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).into_bytes()
}

/// A request whose line, without its newline, has exactly so many bytes.
fn padded(bytes: usize) -> Vec<u8> {
    let bare = request(7, "x", json!({})).len() - 1;
    request(7, &"x".repeat(bytes - bare + 1), json!({}))
}

#[test]
fn lines_that_cannot_be_read() {
    let mut trial = Trial::new("lines that cannot be read", Counts { few: 1, short: 5, full: 50 });
    let mut stage = Stage::new();
    let mib = 1024 * 1024;
    let nested = |depth: usize| format!("{}{}\n", "[".repeat(depth), "]".repeat(depth)).into_bytes();
    let wide = |item: &str| format!("{{\"params\":[{}0]}}\n", item.repeat((mib - 100) / item.len())).into_bytes();
    let goes_on = [
        (padded(mib), "unknown-method"),
        (nested(100_000), "bad-request"),
        (nested(129), "bad-request"),
        (wide("[],"), "bad-request"),
        (wide("{\"\":0},"), "bad-request"),
        (wide("0,"), "bad-request"),
        (b"\0\0\0\n".to_vec(), "bad-request"),
        (b"\n".to_vec(), "bad-request"),
        (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"list\"}\n".to_vec(), "bad-request"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":-1,\"method\":\"list\"}\n".to_vec(), "bad-request"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":18446744073709551616,\"method\":\"list\"}\n".to_vec(), "bad-request"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"list\"}\n".to_vec(), "bad-request"),
        (
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"list\"}}\n", "9".repeat(mib / 2)).into_bytes(),
            "bad-request",
        ),
        (request(u64::MAX, &"\u{1f600}".repeat(200_000), json!({})), "unknown-method"),
        (request(1, "list", json!(["a", 1])), "bad-request"),
        (request(1, "list", json!({"x".repeat(900_000): 1})), "bad-request"),
    ];
    let closes: [(Vec<u8>, &str); 6] = [
        (padded(mib + 1), "frame-too-long"),
        (b"\xc0\xaf\n".to_vec(), "bad-request"),
        (b"\x80\n".to_vec(), "bad-request"),
        (b"\xed\xa0\x80\n".to_vec(), "bad-request"),
        (b"\xf4\x90\x80\x80\n".to_vec(), "bad-request"),
        (b"\xe2\x82\n".to_vec(), "bad-request"),
    ];
    let mut times = Vec::new();
    for _ in 0..trial.count() {
        let mut raw = stage.client();
        for (bytes, expected) in &goes_on {
            raw.send(bytes);
            let answer = raw.line().expect("an answer");
            assert_eq!(code(&answer), *expected, "{answer}");
            assert!(answer.to_string().len() < 4096, "errors are short");
            times.push(stage.unharmed());
        }
        for (bytes, expected) in &closes {
            let mut raw = stage.client();
            raw.send(bytes);
            assert_eq!(code(&raw.line().expect("a last word")), *expected);
            assert!(raw.is_closed());
            times.push(stage.unharmed());
        }
        // A hundred megabytes without an end: the daemon hangs up after the first.
        let mut raw = stage.client();
        for _ in 0..100 {
            raw.send(&vec![b'x'; mib]);
        }
        assert_eq!(code(&raw.line().expect("a last word")), "frame-too-long");
        // A character that is cut between two packets is whole all the same; so is a request that comes byte by byte.
        let mut raw = stage.client();
        for byte in request(3, "\u{1f600}", json!({})) {
            raw.send(&[byte]);
        }
        assert_eq!(code(&raw.line().expect("an answer")), "unknown-method");
    }
    trial.times("a bystander's status", &mut times);
    bounded(&mut trial, &stage);
}

#[test]
fn values_that_are_refused() {
    let mut trial = Trial::new("values that are refused", Counts { few: 200, short: 1000, full: 20_000 });
    let mut stage = Stage::new();
    stage.world.script("agent.sh", "cat > /dev/null");
    let workspace = stage.world.work().canonicalize().unwrap();
    let mut raw = stage.client();
    let long = "x".repeat(1024 * 1024 - 400);
    let named = |workspace: &str, name: &str| json!({"by": "place", "workspace": workspace, "name": name});
    let create = |target: Value, text: &str| json!({"target": target, "objective": {"from": "inline", "text": text}, "agent": "./agent.sh", "maxRounds": 0, "caller": {"cwd": workspace, "environment": {}}});
    let here = workspace.to_str().unwrap();
    for (target, text) in [
        (named(here, "main"), long.as_str()),
        (named(here, &long), "x"),
        (named(here, "a\u{7}b"), "x"),
        (named(here, ""), "x"),
        (named(&long, "main"), "x"),
        (named("/no\0where", "main"), "x"),
        (named("/a\n\u{1b}[2J", "main"), "x"),
        (named("relative", "main"), "x"),
    ] {
        let answer = raw.call("create", create(target.clone(), text));
        assert!(answer["error"].is_object() && answer.to_string().len() < 8192, "{answer}");
        assert!(["text-too-long", "invalid-value", "workspace-missing"].contains(&code(&answer)), "{answer}");
        let answer = raw.call("status", json!({"target": target}));
        assert!(answer["result"]["session"].is_null(), "{answer}");
    }
    assert!(stage.world.log_of_all().is_empty(), "nothing was opened");
    let before = stage.kib("VmRSS");
    for number in 0..trial.count() {
        // Refused for its bound on rounds: each names a session that must not stay.
        let answer = raw.call("create", create(named(here, &format!("s{number}-{}", "n".repeat(50))), "x"));
        assert_eq!(code(&answer), "invalid-value", "{answer}");
    }
    let grown = stage.kib("VmRSS").saturating_sub(before);
    trial.result("memory grown by refused sessions", format!("{grown} KiB"));
    assert!(grown < 8 * 1024, "{grown} KiB");
    assert_eq!(raw.call("daemon.status", json!({}))["result"]["sessionsLoaded"], 0);
    stage.unharmed();
    bounded(&mut trial, &stage);
}

#[test]
fn connections_that_are_idle() {
    let mut trial = Trial::new("idle connections", Counts { few: 100, short: 600, full: 1000 });
    let mut stage = Stage::new();
    let socket = stage.world.home().join("goald.sock");
    let mut silent: Vec<UnixStream> =
        (0..trial.count()).map(|_| UnixStream::connect(&socket).expect("connected")).collect();
    for half in silent.iter_mut().skip(50) {
        // Half a line, then silence. Those over the bound are hung up on already.
        half.write_all(b"{\"jsonrpc\":").ok();
    }
    let waited = stage.unharmed();
    let (mut refused, mut closed) = (0, 0);
    for stream in silent {
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).ok();
        match code(&serde_json::from_str(&line).expect("a last word")) {
            "too-many" => refused += 1,
            "timed-out" => closed += 1,
            other => panic!("{other}"),
        }
    }
    trial.result("refused", refused);
    trial.result("closed after ten seconds", closed);
    trial.result("a bystander's status", format!("{waited:.1?}"));
    assert_eq!(refused > 0, trial.count() > 512, "{refused}");
    stage.client();
    bounded(&mut trial, &stage);
}

#[test]
fn clients_that_never_read() {
    let mut trial = Trial::new("clients that never read", Counts { few: 4, short: 16, full: 64 });
    let mut stage = Stage::new();
    stage.world.script("agent.sh", "cat > /dev/null");
    let objective = "\u{1f600}".repeat(3000);
    stage
        .world
        .goal(&["create", "--agent", "./agent.sh", "--max-rounds", "3", "--check", "false", &objective])
        .exits(0);
    stage.world.goal(&["wait"]).exits(3);
    let mut silent = Vec::new();
    for _ in 0..trial.count() {
        let mut stream = UnixStream::connect(stage.world.home().join("goald.sock")).expect("connected");
        stream.write_all(&request(0, "hello", json!({"version": 1, "via": "cli"}))).expect("written");
        stream.set_nonblocking(true).expect("set");
        for id in 1..3000 {
            let bytes = match id % 5 {
                0 => request(id, "list", json!({})),
                1 => request(id, "log", json!({"after": 0})),
                2 => request(id, "log.subscribe", json!({"after": 0})),
                3 => request(id, "output.subscribe", json!({"target": stage.place()})),
                _ => request(id, "status", json!({"target": stage.place()})),
            };
            if stream.write(&bytes).is_ok_and(|written| written < bytes.len()) {
                break;
            }
        }
        silent.push(stream);
    }
    let waited = stage.unharmed();
    trial.result("a bystander's status", format!("{waited:.1?}"));
    bounded(&mut trial, &stage);
    let asked = std::time::Instant::now();
    stage.world.goal(&["daemon", "stop"]).exits(0);
    trial.result("daemon stop", format!("{:.1?}", asked.elapsed()));
    assert!(asked.elapsed().as_secs() < 8, "{:?}", asked.elapsed());
}

#[test]
fn waits_and_subscriptions_without_number() {
    let mut trial =
        Trial::new("waits and subscriptions without number", Counts { few: 200, short: 1000, full: 10_000 });
    let mut stage = Stage::new();
    let gate = stage.world.fifo("gate");
    stage.world.script("agent.sh", "exec cat gate");
    stage.world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    let mut raw = stage.client();
    for id in 0..100 {
        raw.send(&request(1000 + id, "wait", json!({"targets": [stage.place()]})));
    }
    for _ in 64..100 {
        assert_eq!(code(&raw.line().expect("an answer")), "too-many");
    }
    let many = vec![json!({"by": "token"}); 2000];
    drop(raw);
    assert_eq!(code(&stage.client().call("wait", json!({"targets": many}))), "invalid-value");
    let before = stage.descriptors();
    for _ in 0..trial.count() {
        let mut raw: Raw = stage.client();
        assert!(raw.call("log.subscribe", json!({"after": 0}))["result"].is_object());
        assert!(raw.call("output.subscribe", json!({"target": stage.place()}))["result"].is_object());
        raw.hang_up();
        // Read to its end: the daemon has closed its side, although nothing ever happened that would have told it.
        while raw.line().is_some() {}
    }
    let after = stage.descriptors();
    assert!(after < before + 8, "{before} descriptors before, {after} after");
    drop(std::fs::OpenOptions::new().write(true).open(gate).expect("opened"));
    stage.unharmed();
    bounded(&mut trial, &stage);
}
