//! `goal rounds`: what each round did, and what its checks printed.

use crate::harness::World;
use serde_json::json;

#[test]
fn a_round_in_detail_shows_what_its_checks_printed_escaped_and_bounded() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.file(
        "many.sh",
        "i=0; while [ $i -lt 30 ]; do i=$((i + 1)); echo \"line $i\"; done; printf 'last \\033[2J\\n'; exit 3",
    );
    let many = ["--check", "sh many.sh", "--check", "true", "--check", "echo fine"];
    let run = ["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"];
    world.goal(&[&run[..], &many[..]].concat()).exits(3);
    let shown = world.goal(&["rounds", "1"]).exits(0);
    let lines: Vec<&str> = shown.lines().map(str::trim).collect();
    let from = lines.iter().position(|line| line.starts_with("✗ c1: exit code 3")).unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(lines[from + 1], "11 more line(s) before: --json shows them");
    assert_eq!((lines[from + 2], lines[from + 20]), ("│ line 12", "│ line 30"));
    assert_eq!(lines[from + 21], "│ last \\u{1b}[2J");
    assert!(lines[from + 22].starts_with("✓ c2") && lines[from + 23].starts_with("✓ c3"), "{shown}");
    assert_eq!(lines[from + 24], "│ fine");
    let round = world.goal(&["rounds", "1", "--json"]).json(0);
    let outputs = round["outputs"].as_array().unwrap();
    assert_eq!((&outputs[0]["criterion"], &outputs[1]), (&json!("c1"), &json!({"criterion": "c3", "text": "fine\n"})));
    let text = outputs[0]["text"].as_str().unwrap();
    assert!(text.starts_with("line 1\n") && text.ends_with("line 30\nlast \u{1b}[2J\n"), "{text}");
    assert!(world.goal(&["rounds", "--json"]).json(0)[0].get("outputs").is_none(), "only where one is asked for");
    assert_eq!(world.goal(&["rounds", "2", "--json"]).json(8)["error"]["code"], "not-found");
}

#[test]
fn more_than_one_answer_holds_of_what_checks_printed_leaves_out_what_was_met() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    // Each byte takes six in JSON.
    world.file("print.sh", "head -c 8192 /dev/zero | tr '\\0' '\\001'");
    let mut args = vec!["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"];
    args.extend(["--check", "sh print.sh"].repeat(20));
    args.extend(["--check", "sh print.sh; exit 1"]);
    world.goal(&args).exits(3);
    let round = world.goal(&["rounds", "1", "--json"]).json(0);
    let outputs = round["outputs"].as_array().unwrap();
    let told = outputs.iter().filter(|output| output["text"].is_string()).count();
    assert_eq!((outputs.len(), told), (21, 16));
    assert_eq!(outputs[20]["text"], "\u{1}".repeat(8192), "what is missing goes first");
    assert!(world.goal(&["rounds", "1"]).exits(0).contains("what it printed cannot be shown"));
}
