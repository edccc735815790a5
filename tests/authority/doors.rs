//! Each way around the rights that is known: refused, and on record with the reason.

use super::client::{Manner, answers, line, target};
use crate::harness::{World, code, finished, read_fifo};
use crate::mcp::Mcp;
use serde_json::{Value, json};

/// The reasons of the refusals on record, with what was tried.
fn refusals(world: &World) -> Vec<(String, String)> {
    let told = |event: &Value, field: &str| event[field].as_str().unwrap_or("none").to_owned();
    let refused = world.logged("authority/refused");
    refused.iter().map(|event| (told(&event["data"], "operation"), told(&event["actor"], "why"))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(operation, why)| ((*operation).to_owned(), (*why).to_owned())).collect()
}

/// A goal whose agent runs this shell, in one round.
fn round(world: &World, script: &str) {
    world.script("agent.sh", &format!("cat > /dev/null\n{script}"));
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
}

/// Requests that only a person may make.
fn requests(world: &World) -> Vec<(&'static str, Value)> {
    let reference = json!({"id": "00000000-0000-7000-8000-000000000000", "revision": 1});
    let target = target(world);
    vec![
        ("clear", json!({"target": target, "ref": reference})),
        ("complete", json!({"target": target, "ref": reference})),
        ("edit", json!({"target": target, "ref": reference, "maxRounds": 9999})),
        ("resume", json!({"target": target, "ref": reference})),
    ]
}

const OPERATIONS: [&str; 4] = ["clear", "complete", "edit-other", "resume"];

#[test]
fn a_raw_socket_request_of_an_agent() {
    let world = World::new();
    let line = line(&world, Manner::Speaks, &requests(&world));
    round(&world, &line);
    let answers = answers(&world);
    assert_eq!(answers[0]["result"]["actor"], json!({"kind": "other", "why": "attempt-marker"}));
    assert_eq!(answers[1..].iter().map(code).collect::<Vec<_>>(), ["not-permitted"; 4]);
    assert_eq!(refusals(&world), pairs(&OPERATIONS.map(|operation| (operation, "attempt-marker"))));
}

#[test]
fn double_forked_out_of_its_session_with_an_empty_environment() {
    let world = World::new();
    world.fifo("done");
    let goal = env!("CARGO_BIN_EXE_goal");
    world.script(
        "child.sh",
        &format!(
            "export GOALD_HOME='{}'\n'{goal}' clear > said.txt 2>&1; echo \"exit $?\" >> said.txt\n\
             '{goal}' daemon stop >> said.txt 2>&1; echo \"stop $?\" >> said.txt; echo > done",
            world.home().display()
        ),
    );
    // The agent itself gives up its environment too: nothing of the tree carries a mark.
    round(&world, "exec env -i PATH=\"$PATH\" sh -c '(setsid ./child.sh > /dev/null 2>&1 &); cat done'");
    let said = world.read("said.txt");
    assert!(said.contains("exit 6") && said.contains("stop 6"), "{said}");
    assert_eq!(refusals(&world), pairs(&[("clear", "below-daemon"), ("stop-daemon", "below-daemon")]));
}

#[test]
fn connecting_then_exiting_a_child_speaking_on_the_inherited_descriptor() {
    let world = World::new();
    round(&world, "true");
    // Not even an agent: whoever connects is a person's process, and was one when it greeted.
    let line = line(&world, Manner::Leaves, &requests(&world));
    let mut command = std::process::Command::new("sh");
    let (gone, said) = (world.fifo("gone"), world.fifo("said"));
    finished(command.args(["-c", &line]).current_dir(world.work()).output().unwrap()).exits(0);
    std::fs::write(gone, "it is reaped").unwrap();
    read_fifo(&said);
    let answers = answers(&world);
    assert_eq!(answers[0]["result"]["actor"], json!({"kind": "human"}));
    assert_eq!(answers[1..].iter().map(code).collect::<Vec<_>>(), ["not-permitted"; 4]);
    assert_eq!(refusals(&world), pairs(&OPERATIONS.map(|operation| (operation, "exited"))));
}

#[test]
fn an_ended_attempts_token_at_every_door() {
    let world = World::new();
    round(&world, "printf %s \"$GOALD_TOKEN\" > token.txt");
    for verb in [&["resume"][..], &["agent", "complete", "--summary", "x"], &["agent", "pause"], &["daemon", "stop"]] {
        let mut command = world.command(verb);
        finished(command.env("GOALD_TOKEN", world.read("token.txt")).output().unwrap()).exits(6);
    }
    assert_eq!(
        refusals(&world),
        pairs(&[
            ("resume", "dead-token"),
            ("claim-complete", "dead-token"),
            ("pause", "dead-token"),
            ("stop-daemon", "dead-token")
        ])
    );
    let status = world.status();
    assert_eq!(
        (status["refusals"]["count"].as_u64(), status["refusals"]["last"]["why"].as_str()),
        (Some(4), Some("dead-token"))
    );
}

#[test]
fn another_attempts_token() {
    let world = World::new();
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    world.script("agent.sh", "cat > /dev/null; printf %s \"$GOALD_TOKEN\" > token.txt; echo > up; cat go");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    read_fifo(&up);
    // A second session's agent finds the first one's token, and tries it on either session.
    // Beside the workspace, not in it: one tree has one worker.
    let other = world.work().with_file_name("other");
    std::fs::create_dir(&other).unwrap();
    let thief = world.script(
        "thief.sh",
        "cat > /dev/null; export GOALD_TOKEN=$(cat ../work/token.txt); \
         \"$GOALD_BIN\" -C ../work resume > said.txt 2>&1; echo \"its: $?\" >> said.txt; \
         \"$GOALD_BIN\" agent complete --summary x >> said.txt 2>&1; echo \"claim: $?\" >> said.txt; \
         \"$GOALD_BIN\" -C . resume >> said.txt 2>&1; echo \"own: $?\" >> said.txt",
    );
    let (there, thief) = (other.display().to_string(), thief.display().to_string());
    world.goal(&["-C", &there, "run", "--agent", &thief, "--max-rounds", "1", "y"]).exits(3);
    let said = std::fs::read_to_string(other.join("said.txt")).unwrap();
    assert!(["its: 6", "claim: 6", "own: 6"].iter().all(|exit| said.contains(exit)), "{said}");
    assert_eq!(
        refusals(&world),
        pairs(&[("resume", "foreign-token"), ("claim-complete", "foreign-token")]),
        "on record where they were tried"
    );
    let log = world.goal(&["-C", &there, "log", "--json"]).exits(0);
    assert!(log.contains("\"why\":\"other-session\""), "{log}");
    std::fs::write(go, "").unwrap();
    world.goal(&["wait"]).exits(3);
}

#[test]
fn goal_mcp_without_a_token() {
    let world = World::new();
    round(&world, "true");
    let goal = world.status()["goal"].clone();
    let mut mcp = Mcp::start(&world, None);
    let asked = json!({"action": "resume", "goal_id": goal["id"], "revision": goal["revision"]});
    assert_eq!(mcp.tool("update_goal", asked)["structuredContent"]["error"]["code"], "not-permitted");
    assert_eq!(refusals(&world), pairs(&[("resume", "mcp-without-token")]));
}

#[test]
fn what_was_refused_is_shown() {
    let world = World::new();
    assert_eq!(world.status()["refusals"], json!({"count": 0}));
    round(&world, "for i in 1 2 3; do \"$GOALD_BIN\" clear; done > /dev/null 2>&1; true");
    let shown = world.goal(&["status"]).exits(0);
    assert!(shown.contains("refused: 3 tries; an agent tried `clear` last, "), "{shown}");
    let refusals = world.status()["refusals"].clone();
    let last = &refusals["last"];
    assert_eq!(
        (refusals["count"].as_u64(), last["operation"].as_str(), last["why"].as_str()),
        (Some(3), Some("clear"), Some("agent"))
    );
    assert_eq!(last["at"], world.logged("authority/refused")[2]["at"]);
    let round = world.goal(&["rounds", "1"]).exits(0);
    assert!(round.contains("refused: 3 tries"), "{round}");
    // A new goal begins anew.
    world.goal(&["clear"]).exits(0);
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "y"]).exits(0);
    world.goal(&["wait"]).exits(3);
    assert_eq!(world.status()["refusals"]["count"], 3, "its own three");
}
