//! Purging: what finished goals have left goes, wherever it lies; everything else stays and works.

use crate::harness::World;
use crate::redaction::files_with;

/// Marks what is kept: in the output, the final text, a check's output, a message, the end of a long objective.
const MARKS: [&str; 5] = ["MARK-PRINTED", "MARK-FINAL", "MARK-CHECKED", "MARK-SAID", "MARK-OBJECTIVE"];

/// A session with a finished goal and a message, all marked.
fn finished_goal(world: &World, name: &str) {
    let long = format!("{} MARK-OBJECTIVE", "long ".repeat(1_000));
    let file = world.file("objective.md", &long);
    world.script("agent.sh", "cat > /dev/null; echo MARK-PRINTED; seq 3000; echo MARK-FINAL; touch \"r$GOALD_ROUND\"");
    let check = "echo MARK-CHECKED; [ -e r2 ]";
    world.goal(&["-s", name, "run", "--agent", "./agent.sh", "--check", check, "-F", file.to_str().unwrap()]).exits(0);
    let events = world.events();
    world.goal(&["-s", name, "say", "MARK-SAID"]).exits(0);
    events.next("message/delivered");
}

fn blobs(world: &World) -> i64 {
    let store = rusqlite::Connection::open(world.home().join("goald.db")).unwrap();
    store.query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).unwrap()
}

#[test]
fn what_a_finished_goal_left_goes_and_the_log_still_tells_all_that_happened() {
    let world = World::new();
    finished_goal(&world, "main");
    for mark in MARKS {
        assert!(!files_with(&world, mark).is_empty(), "{mark} is kept before");
    }
    let rounds = world.goal(&["rounds", "--json"]).exits(0);
    let (before, count) = (world.log(), blobs(&world));
    let dry = world.goal(&["purge", "--dry-run", "--json"]).json(0);
    assert_eq!((dry["goals"].as_u64(), dry["files"].as_u64(), dry["dryRun"].as_bool()), (Some(1), Some(4), Some(true)));
    assert_eq!((blobs(&world), dry["blobs"].as_i64()), (count, Some(count)), "a dry run deletes nothing");
    let purged = world.goal(&["purge", "--json"]).json(0);
    for what in ["sessions", "goals", "blobs", "files", "bytes"] {
        assert_eq!(purged[what], dry[what], "{what} as announced");
    }
    assert!(purged["bytes"].as_u64().unwrap() > 30_000 && purged.get("warnings").is_none(), "{purged}");
    assert_eq!(blobs(&world), 0);
    for mark in ["MARK-PRINTED", "MARK-FINAL", "MARK-SAID", "MARK-OBJECTIVE"] {
        assert_eq!(files_with(&world, mark), Vec::<String>::new(), "{mark}");
    }
    let again = world.goal(&["purge"]).exits(0);
    assert_eq!(again, "nothing to purge: no finished goal has left anything\n");
    for restarted in [false, true] {
        if restarted {
            world.goal(&["daemon", "restart"]).exits(0);
        }
        assert_eq!(world.log(), before, "restarted: {restarted}");
        assert_eq!(world.goal(&["rounds", "--json"]).exits(0), rounds);
        assert!(world.goal(&["rounds", "1"]).exits(0).contains("exit code 1"));
        assert_eq!(world.goal(&["output", "1"]).exits(0), "[purged]\n");
        assert_eq!(world.goal(&["output", "1", "--follow"]).exits(0), "[purged]\n");
        assert_eq!(world.goal(&["output", "--json"]).json(0)["purged"], true);
        assert_eq!(world.status()["goal"]["phase"], "complete");
    }
    // The session goes on: a message turn whose goal's whole objective is gone, then a new goal.
    let events = world.events();
    world.script("agent.sh", "cat > prompt.txt; \"$GOALD_BIN\" agent complete --summary ok > /dev/null");
    let position = world.status()["position"].as_u64();
    world.goal(&["say", "and now?"]).exits(0);
    events.until("the turn", |event| event["type"] == "message/delivered" && event["position"].as_u64() > position);
    assert!(world.read("prompt.txt").contains("and now?"), "{}", world.read("prompt.txt"));
    world.goal(&["run", "--agent", "./agent.sh", "another"]).exits(0);
    let log = std::fs::read_to_string(world.home().join("goald.log")).unwrap();
    assert!(log.contains("a person purged"), "{log}");
}

#[test]
fn an_unfinished_goal_a_waiting_message_and_other_sessions_keep_what_they_need() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; echo the same words");
    world.goal(&["-s", "done", "run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    world.goal(&["-s", "done", "say", "MARK-WAITING"]).exits(0);
    let events = world.events();
    events.next("message/delivered");
    world.goal(&["-s", "done", "clear"]).exits(0);
    world.goal(&["-s", "living", "run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    let living = world.goal(&["-s", "living", "output"]).exits(0);
    // The living goal's prompt, its final text (shared with the finished one); a message that waits.
    world.script("agent.sh", "exit 1");
    let purged = world.goal(&["-s", "done", "purge", "--json"]).json(0);
    assert_eq!((purged["goals"].as_u64(), purged["sessions"].as_u64()), (Some(1), Some(1)), "{purged}");
    assert_eq!(blobs(&world), 2, "the living goal's prompt and final text");
    let nothing = world.goal(&["purge", "--all", "--json"]).json(0);
    assert_eq!((nothing["blobs"].as_u64(), nothing["files"].as_u64()), (Some(0), Some(0)), "{nothing}");
    assert_eq!(world.goal(&["-s", "living", "output"]).exits(0), living);
    assert_eq!(world.goal(&["-s", "done", "output"]).exits(0), "[purged]\n");
    assert_eq!(world.goal(&["-s", "none", "purge"]).code, 8);
    world.goal(&["-s", "living", "clear"]).exits(0);
    let rest = world.goal(&["purge", "--all", "--json"]).json(0);
    // The text that both goals had is the last of either.
    assert_eq!((rest["goals"].as_u64(), rest["blobs"].as_u64(), rest["files"].as_u64()), (Some(2), Some(2), Some(1)));
}

#[test]
fn a_message_that_waits_and_an_attempt_that_runs_are_not_touched() {
    let world = World::new();
    let up = world.fifo("up");
    world.script("agent.sh", "cat > prompt.txt; echo RUNNING; echo up > up; exec sleep 1000");
    world.goal(&["say", "--agent", "./agent.sh", "MARK-DELIVERED"]).exits(0);
    crate::harness::read_fifo(&up);
    world.goal(&["say", "MARK-WAITING"]).exits(0);
    let (count, purged) = (blobs(&world), world.goal(&["purge", "--json"]).json(0));
    assert_eq!((purged["blobs"].as_u64(), purged["files"].as_u64()), (Some(0), Some(0)), "{purged}");
    assert_eq!(blobs(&world), count);
    assert_eq!(world.goal(&["output"]).exits(0), "RUNNING\n");
}
