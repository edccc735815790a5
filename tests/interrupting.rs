//! `say --now`: what runs is cut, the message is the next turn, and what was cut goes on.

use crate::harness::{World, agents_of, gone, open, read_fifo};
use serde_json::json;
use std::io::Write;

/// Answers messages; the first attempt of a round works until it is cut, with a child in a session of its own, and the
/// second reports.
const WORKS: &str = r#"
if [ -z "$GOALD_ROUND" ]; then cat > message.txt; exit 0; fi
cat > prompt.txt
if [ -e again ]; then "$GOALD_BIN" agent complete --summary ok > /dev/null; exit 0; fi
touch again
exec 3> held
setsid sleep 1000 > /dev/null 2>&1 &
exec sleep 1000
"#;

#[test]
fn a_round_is_cut_its_tree_is_gone_the_message_is_answered_and_the_round_goes_on_even_at_the_limit() {
    let world = World::new();
    let held = world.fifo("held");
    world.script("agent.sh", WORKS);
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    let held = open(&held);
    let said = world.goal(&["say", "--now", "use the other branch", "--json"]).json(0);
    assert_eq!(said["status"]["activation"], "armed", "the goal goes on");
    assert_eq!(said["status"]["goal"]["phase"], "active");
    gone(held);
    world.goal(&["wait"]).exits(0);
    assert_eq!(agents_of(&world), [0_u32; 0]);
    assert!(world.read("message.txt").contains("\"use the other branch\""), "{}", world.read("message.txt"));
    assert!(world.read("prompt.txt").contains("An earlier attempt of this turn was cut off."));

    let cut = json!({"kind": "interrupted", "cause": "message"});
    let ended = world.logged("attempt/ended");
    let started = world.logged("attempt/started");
    let turns: Vec<_> =
        started.iter().map(|event| (&event["data"]["turn"]["kind"], &event["data"]["number"])).collect();
    assert_eq!(json!(turns), json!([["round", 1], ["messages", 1], ["round", 2]]));
    assert_eq!((&ended[0]["data"]["outcome"], &ended[0]["data"]["next"]["kind"]), (&cut, &json!("again")));
    let queued = world.logged("message/queued");
    assert_eq!(queued[0]["data"]["interrupts"], started[0]["data"]["attempt"], "on record, before anything was cut");
    assert_eq!(world.logged("round/admitted").len(), 1, "no round is used up");
    assert_eq!(world.status()["goal"]["roundsStarted"], 1);
}

#[test]
fn no_byte_of_the_old_prompt_is_read_after_the_answer() {
    let world = World::new();
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    let round =
        "trap '' INT; echo up > up; read -r _ < go; cat > late.txt; echo \"read $(wc -c < late.txt)\" > read.txt";
    world.script(
        "agent.sh",
        &format!("if [ -n \"$GOALD_ROUND\" ] && [ ! -e read.txt ]; then {round}; fi; cat > last.txt"),
    );
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    read_fifo(&up);
    world.goal(&["say", "--now", "wait"]).exits(0);
    std::fs::File::create(&go).unwrap().write_all(b"go\n").unwrap();
    world.goal(&["wait"]).exits(3);
    assert_eq!(world.read("read.txt"), "read 0\n", "the prompt was taken back");
    assert_eq!(world.logged("attempt/ended")[0]["data"]["delivered"], "no");
}

#[test]
fn a_claim_of_the_cut_attempt_is_void() {
    let world = World::new();
    let up = world.fifo("up");
    world.script("agent.sh", "cat > /dev/null; [ \"$GOALD_ROUND\" = 1 ] && [ ! -e once ] || exit 0; touch once; \"$GOALD_BIN\" agent complete --summary done > /dev/null; echo up > up; exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    read_fifo(&up);
    world.goal(&["say", "--now", "it is not done"]).exits(0);
    world.goal(&["wait"]).exits(3);
    assert_eq!(world.status()["goal"]["blockedReason"]["code"], "round-limit", "the claim completed nothing");
    assert_eq!(world.logged("verdict/recorded").len(), 0);
}

#[test]
fn a_running_check_is_given_up_and_made_again_after_the_message() {
    let world = World::new();
    let held = world.fifo("held");
    world.script("agent.sh", "cat > prompt.txt; if [ -z \"$GOALD_ROUND\" ]; then touch ready; fi");
    world.file("check.sh", "if [ -e ready ]; then exit 0; fi; exec 3> held; exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "--check", "sh check.sh", "x"]).exits(0);
    let held = open(&held);
    world.goal(&["say", "--now", "make it ready"]).exits(0);
    gone(held);
    world.goal(&["wait"]).exits(0);
    let kinds: Vec<_> = world.log().into_iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect();
    let tail = ["round/ended", "message/queued", "attempt/started", "attempt/ended", "message/delivered"];
    let tail: Vec<&str> = tail.into_iter().chain(["verdict/recorded", "goal/change"]).collect();
    assert!(kinds.iter().map(String::as_str).collect::<Vec<_>>().ends_with(&tail), "{kinds:?}");
    assert_eq!(world.status()["goal"]["completed"], "verified");
}

#[test]
fn a_message_turn_is_cut_too_and_the_next_one_has_every_message_in_order() {
    let world = World::new();
    let held = world.fifo("held");
    world.script("agent.sh", "cat > prompt.txt; [ ! -e again ] || exit 0; touch again; exec 3> held; exec sleep 1000");
    world.goal(&["say", "--agent", "./agent.sh", "first"]).exits(0);
    let held = open(&held);
    world.goal(&["say", "second"]).exits(0);
    world.goal(&["say", "--now", "third"]).exits(0);
    gone(held);
    let events = world.events();
    let delivered = events.next("message/delivered");
    assert_eq!(delivered["data"]["messages"].as_array().unwrap().len(), 3);
    let prompt = world.read("prompt.txt");
    let place = |text: &str| prompt.find(&format!("\"{text}\"")).unwrap_or_else(|| panic!("{text} in {prompt}"));
    assert!(place("first") < place("second") && place("second") < place("third"), "{prompt}");
    assert_eq!(world.status()["queued"], json!([]));
}

#[test]
fn where_nothing_runs_it_is_a_plain_say() {
    let world = World::new();
    world.script("agent.sh", "cat > prompt.txt");
    world.goal(&["say", "--now", "--agent", "./agent.sh", "hello"]).exits(0);
    world.events().next("message/delivered");
    assert!(world.logged("message/queued")[0]["data"].get("interrupts").is_none());
    assert!(world.read("prompt.txt").contains("\"hello\""));
}

#[test]
fn an_agent_interrupts_nobody() {
    let world = World::new();
    world.script(
        "agent.sh",
        "cat > /dev/null; \"$GOALD_BIN\" say --now 'from the agent' > said.txt 2>&1; echo \"exit $?\" >> said.txt",
    );
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    assert!(world.read("said.txt").contains("exit 6"), "{}", world.read("said.txt"));
    assert_eq!(world.logged("message/queued").len(), 0);
}
