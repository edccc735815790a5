//! The command line: predictable for people and scripts.

use crate::harness::{World, finished};
use std::process::Stdio;

#[test]
fn every_verb_works_without_a_terminal_and_says_json() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; echo hi");
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "--check", "false", "x"]).exits(3);
    for (args, exit) in [
        (&["status"][..], 0),
        (&["list"], 0),
        (&["rounds"], 0),
        (&["rounds", "1"], 0),
        (&["output"], 0),
        (&["output", "1"], 0),
        (&["wait"], 3),
        (&["edit", "--max-rounds", "2"], 0),
        (&["edit", "--max-rounds", "2"], 0),
        (&["agent", "get"], 0),
        (&["resume"], 0),
        (&["wait"], 3),
        (&["block", "--reason", "x"], 5),
        (&["complete"], 0),
        (&["complete"], 5),
        (&["clear"], 0),
        (&["clear"], 0),
        (&["resume"], 8),
        (&["rounds"], 8),
        (&["pause"], 5),
        (&["daemon", "status"], 0),
        (&["-s", "other", "pause"], 8),
        (&["status", "-s", "other"], 0),
    ] {
        let with: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let ran = world.goal(&with);
        assert_eq!(ran.code, exit, "{args:?}: {ran:?}");
        for line in ran.stdout.lines() {
            let value: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{args:?}: {error}: {line}"));
            assert_eq!(value.get("error").is_some(), !matches!(exit, 0 | 3), "{args:?}: {value}");
        }
    }
}

#[test]
fn an_edit_without_effect_writes_nothing_and_exits_well() {
    let world = World::new();
    world.script("agent.sh", "exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "5", "x"]).exits(0);
    assert_eq!(world.goal(&["edit", "--max-rounds", "5", "--json"]).json(0)["changed"], false);
    assert_eq!(world.status()["goal"]["revision"], 1);
}

#[test]
fn wrong_usage_exits_with_2_and_says_what_is_meant() {
    let world = World::new();
    for args in [
        &["frobnicate"][..],
        &["create"],
        &["create", "--max-rounds", "0", "x"],
        &["create", "x", "-F", "f"],
        &["edit"],
        &["block"],
        &["wait", "--timeout", "soon"],
        &["create", "   "],
        &["create", "--agent", "nobody", "x"],
        &["create", "--agent", "./missing.sh", "x"],
        &["create", "x"],
        &["-C", "/nonexistent", "status"],
        &["log", "--since", "yesterday"],
        &["-s", "a/b", "create", "--agent", "/bin/cat", "x"],
    ] {
        let ran = world.goal(args);
        assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
        assert!(!ran.stderr.is_empty(), "{args:?}");
        let with: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
        let said = world.goal(&with).json(2);
        assert!(said["error"]["code"].is_string() && said["error"]["message"].is_string(), "{args:?}: {said}");
    }
}

#[test]
fn an_objective_over_4000_characters_is_refused_inline_and_taken_from_a_file() {
    let world = World::new();
    world.script("agent.sh", "cat > prompt.txt; \"$GOALD_BIN\" agent complete --summary ok");
    let long = "x".repeat(4_001);
    assert_eq!(
        world.goal(&["create", "--agent", "./agent.sh", &long, "--json"]).json(2)["error"]["code"],
        "text-too-long"
    );
    let text = format!("{}\nthe end of it", "y".repeat(200_000));
    world.file("goal.md", &text);
    world.goal(&["run", "--agent", "./agent.sh", "-F", "goal.md"]).exits(0);
    let prompt = world.read("prompt.txt");
    let path = prompt.lines().find(|line| line.contains("objectives")).expect("the path of the stored copy");
    let path: String = serde_json::from_str(path).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    assert_eq!(world.status()["goal"]["objectiveBytes"], text.len());
}

#[test]
fn an_unfinished_goal_is_not_replaced_without_being_asked() {
    let world = World::new();
    world.script("agent.sh", "exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "one"]).exits(0);
    assert_eq!(world.goal(&["create", "two", "--json"]).json(5)["error"]["code"], "unfinished-goal");
    let first = world.status()["goal"]["id"].clone();
    world.goal(&["create", "--replace", "two"]).exits(0);
    let status = world.status();
    assert_eq!((status["goal"]["objective"].as_str(), status["goal"]["revision"].as_u64()), (Some("two"), Some(1)));
    assert_ne!(status["goal"]["id"], first);
    assert_eq!(
        world.logged("goal/change")[1]["data"]["cleared"]["revision"],
        2,
        "the tombstone is one past the last revision"
    );
}

/// What each face says of the same session.
fn told(world: &World) -> [String; 4] {
    let status = world.status();
    let list = world.goal(&["list", "--json"]).json(0);
    let text = world.goal(&["status"]).exits(0).lines().next().unwrap_or_default().to_owned();
    let text_of = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let of = |entry: &serde_json::Value| text_of(&entry["goal"]["phase"]) + "/" + &text_of(&entry["session"]["state"]);
    [of(&status), of(&list[0]), text, world.goal(&["list"]).exits(0)]
}

#[test]
fn every_face_says_the_same_of_a_goal_that_runs_is_paused_blocked_or_complete() {
    let world = World::new();
    let held = world.fifo("held");
    world.script("agent.sh", "cat > /dev/null; exec 3> held; exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    let reader = crate::harness::open(&held);
    let say = |status: &str, text: &str, list: &str| {
        let [one, other, first, table] = told(&world);
        assert_eq!((one.as_str(), other.as_str()), (status, status));
        assert!(first.starts_with(text), "{text}: {first}");
        assert!(table.contains(list), "{list}: {table}");
    };
    say("active/running", "active · running · round 1 of 256", "running");
    world.goal(&["pause"]).exits(0);
    crate::harness::gone(reader);
    world.events().next("attempt/ended");
    say("paused/stopped", "paused · stopped · round 1 of 256", "paused");
    world.goal(&["resume"]).exits(0);
    let reader = crate::harness::open(&held);
    world.goal(&["block", "--reason", "no key"]).exits(0);
    crate::harness::gone(reader);
    world.events().until("the second end", |event| event["data"]["outcome"]["cause"] == "block");
    say("blocked/stopped", "blocked · stopped", "blocked: human-reported");
    world.goal(&["complete"]).exits(0);
    say("complete/idle", "complete (unverified", "complete (unverified)");
}

#[test]
fn wait_says_124_when_time_runs_out_and_the_goal_goes_on() {
    let world = World::new();
    world.script("agent.sh", "exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    world.goal(&["wait", "--timeout", "50ms"]).exits(124);
    assert_eq!(world.status()["activation"], "armed");
}

#[test]
fn text_from_agents_cannot_move_the_cursor_of_a_terminal() {
    let world = World::new();
    world.script(
        "agent.sh",
        r#"printf 'a\033[2Jb\n'; "$GOALD_BIN" agent complete --summary "$(printf 'x\033]0;t\007y')""#,
    );
    world.goal(&["run", "--agent", "./agent.sh", "x"]).exits(0);
    for args in [&["output"][..], &["status"], &["log"], &["rounds", "1"]] {
        let text = world.goal(args).exits(0);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{args:?}: {text:?}");
    }
    assert!(world.goal(&["output"]).exits(0).contains("a\\u{1b}[2Jb"));
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "60", "x"]).exits(3);
    let mut child = world.command(&["log"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ran = finished(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stderr.as_str()), (141, ""), "and never with the 0 that means complete");
}

#[test]
fn two_sessions_of_one_workspace_never_work_at_the_same_time() {
    let world = World::new();
    // Whoever finds the other at work says so.
    world.script("agent.sh", "cat > /dev/null; mkdir lock || touch overlap; rmdir lock");
    for name in ["a", "b", "c"] {
        world
            .goal(&[
                "-s",
                name,
                "create",
                "--agent",
                "./agent.sh",
                "--max-rounds",
                "15",
                "--check",
                "mkdir lock || touch overlap; rmdir lock; false",
                "x",
            ])
            .exits(0);
    }
    world.goal(&["wait", "a", "b", "c"]).exits(3);
    assert!(!world.work().join("overlap").exists());
    for name in ["a", "b", "c"] {
        assert_eq!(world.goal(&["-s", name, "status", "--json"]).json(0)["goal"]["roundsStarted"], 15, "none starves");
    }
}

#[test]
fn the_command_line_reference_is_what_the_help_says() {
    let world = World::new();
    let mut text = "# Command line\n\nWritten by the test suite from `--help`: `GOALD_UPDATE_HELP=1 cargo test -p goald --test e2e reference`.\n".to_owned();
    let agent = ["get", "complete", "blocked", "create", "edit", "pause", "resume"];
    let daemon = ["run", "start", "stop", "restart", "status", "logs"];
    let verbs = [
        "",
        "status",
        "create",
        "run",
        "edit",
        "pause",
        "resume",
        "clear",
        "complete",
        "block",
        "say",
        "list",
        "log",
        "rounds",
        "output",
        "follow",
        "wait",
        "purge",
        "agent",
        "mcp",
        "demo",
        "completions",
        "schema",
        "doctor",
        "daemon",
    ];
    let nested =
        agent.iter().map(|verb| format!("agent {verb}")).chain(daemon.iter().map(|verb| format!("daemon {verb}")));
    for verb in verbs.iter().map(|verb| (*verb).to_owned()).chain(nested) {
        let args: Vec<&str> = verb.split_whitespace().chain(["--help"]).collect();
        let help = world.goal(&args).exits(0);
        let verb = format!("goal {verb}");
        for line in ["", &format!("## `{}`", verb.trim_end()), "", "```text"]
            .into_iter()
            .chain(help.trim_end().lines())
            .chain(["```"])
        {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    let top = world.goal(&["--help"]).exits(0);
    let commands = top.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for verb in commands.filter_map(|line| line.split_whitespace().next()).filter(|verb| *verb != "help") {
        assert!(verbs.contains(&verb), "{verb} is missing here");
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cli.md");
    if std::env::var_os("GOALD_UPDATE_HELP").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == text, "docs/cli.md has drifted: GOALD_UPDATE_HELP=1 cargo test -p goald --test e2e reference");
}
