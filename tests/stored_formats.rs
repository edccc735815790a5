//! Logs load for ever: a log of every format that was ever stored, as it was written, is opened and read as it was then.
//!
//! `tests/fixtures/store-vN.db` is a log of format N, `store-vN.json` what this goald's predecessors read in it. Neither is ever
//! changed. Whoever adds a migration adds the next pair: `GOALD_UPDATE_FIXTURES=1 cargo test -p goald --test e2e stored_formats`
//! writes the one of the newest format where there is none.

use crate::harness::{Raw, World, read_fifo};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn fixture(format: u32, kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/fixtures/store-v{format}.{kind}"))
}

/// For its owner alone, as every file of the state folder.
fn copy(from: &Path, to: &Path) {
    std::fs::copy(from, to).expect("copied");
    std::fs::set_permissions(to, Permissions::from_mode(0o600)).expect("narrowed");
}

/// The format of a database, as its header says (`user_version`).
fn format_of(database: &Path) -> u32 {
    let bytes = std::fs::read(database).expect("readable");
    u32::from_be_bytes(bytes[60..64].try_into().expect("four bytes"))
}

/// The format that this goald writes.
fn newest() -> u32 {
    let world = World::new();
    world.goal(&["daemon", "start"]).exits(0);
    world.goal(&["daemon", "stop"]).exits(0);
    format_of(&world.home().join("goald.db"))
}

/// All that is read of a log: every event, and how each session stands. What only this moment knows is left out.
fn reading(world: &World) -> Value {
    let events = world.log_of_all();
    let mut sessions: Vec<&str> = events.iter().filter_map(|event| event["session"].as_str()).collect();
    sessions.dedup();
    sessions.sort_unstable();
    sessions.dedup();
    let status = |session: &&str| {
        let target = json!({"by": "session", "session": session});
        let answer = Raw::greeted(&world.home().join("goald.sock")).call("status", json!({"target": target}));
        let mut status = answer["result"].clone();
        status.as_object_mut().unwrap_or_else(|| panic!("{answer}")).remove("position");
        status["session"].as_object_mut().unwrap_or_else(|| panic!("{answer}")).remove("since");
        status
    };
    let statuses: Vec<Value> = sessions.iter().map(status).collect();
    json!({"events": events, "statuses": statuses})
}

#[test]
fn every_format_that_was_ever_stored_loads() {
    let newest = newest();
    assert!(newest >= 1, "format {newest}");
    for format in 1..=newest {
        if format == newest && !fixture(format, "db").exists() && std::env::var_os("GOALD_UPDATE_FIXTURES").is_some() {
            write(format);
        }
        let database = fixture(format, "db");
        assert_eq!(format_of(&database), format, "{} is of its format", database.display());
        let expected: Value = serde_json::from_slice(&std::fs::read(fixture(format, "json")).unwrap()).unwrap();
        let world = World::new();
        world.config("");
        copy(&database, &world.home().join("goald.db"));
        let read = reading(&world);
        assert_eq!(read["events"], expected["events"], "format {format}");
        assert_eq!(read["statuses"], expected["statuses"], "format {format}");
        // It can be gone on with: whatever its format was, the chain takes more events.
        let paused = expected["statuses"].as_array().unwrap().iter().find(|status| status["goal"]["phase"] == "paused");
        let session = &paused.expect("a paused goal")["session"];
        let (workspace, name) = (session["workspace"].as_str().unwrap(), session["name"].as_str().unwrap());
        world.goal(&["-C", workspace, "-s", name, "clear"]).exits(0);
        assert_eq!(world.log_of_all().len(), expected["events"].as_array().unwrap().len() + 1);
        world.goal(&["daemon", "stop"]).exits(0);
        let report = world.goal(&["doctor", "--json"]);
        assert_eq!(report.code, 0, "{}", report.stdout);
    }
}

/// A log with sessions that ended in every way, from real runs.
fn write(format: u32) {
    // No link above it: paths are stored without them.
    let world = World::named("goald-fixture");
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    let tree = |name: &str| {
        let folder = world.work().with_file_name(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder.display().to_string()
    };
    let agent = |name: &str, body: &str| world.script(name, body).display().to_string();
    let reports = agent(
        "reports.sh",
        "cat > /dev/null; echo one >> done.txt; \"$GOALD_BIN\" resume; \"$GOALD_BIN\" agent complete --summary 'the file is there'; exit 0",
    );
    let lines = agent(
        "lines.sh",
        "cat > /dev/null; echo '{\"type\":\"session\",\"id\":\"s1\"}'; echo '{\"type\":\"text\",\"text\":\"all done\"}'; \
         echo '{\"type\":\"end\",\"result\":\"failed\",\"kind\":\"transient\",\"message\":\"overloaded\",\"status\":529}'",
    );
    let waits = agent("waits.sh", "cat > /dev/null; echo up > ../work/up; read x < ../work/go; exit 0");
    let blocked =
        agent("blocked.sh", "cat > /dev/null; \"$GOALD_BIN\" agent blocked --reason 'the key is missing'; exit 0");
    // Complete, verified: a check that fails once, a claim that is refused by it, a try of what an agent may not do.
    let place = tree("complete");
    world
        .goal(&[
            "-C",
            &place,
            "run",
            "--agent",
            &reports,
            "--check",
            "[ $(cat done.txt | wc -l) -ge 2 ]",
            "the file has two lines",
        ])
        .exits(0);
    // Complete, unverified; then another goal that is cleared, and one completed by a person's word.
    let place = tree("words");
    world.goal(&["-C", &place, "run", "--agent", &reports, "a claim is enough"]).exits(0);
    world.goal(&["-C", &place, "run", "--agent", &blocked, "--max-rounds", "4", "another"]).exits(3);
    world.goal(&["-C", &place, "clear"]).exits(0);
    let long = world.file("long.md", &"a long objective\n".repeat(400)).display().to_string();
    world.goal(&["-C", &place, "run", "--agent", &blocked, "--max-rounds", "1", "-F", &long]).exits(3);
    world.goal(&["-C", &place, "complete"]).exits(0);
    // Retries, then blocked.
    let place = tree("retries");
    world.config(&format!("retryBase = '10ms'\nmaxAttempts = 2\n[agents.lines]\nkind = 'command'\ncommand = ['{lines}']\noutput = 'json-lines'\n"));
    world.goal(&["daemon", "restart"]).exits(0);
    world.goal(&["-C", &place, "run", "--agent", "lines", "it is overloaded"]).exits(3);
    // Messages: one that waits for a round's end, one that interrupts; an edit; a pause that is asked for, withdrawn, and made.
    let place = tree("paused");
    world.goal(&["-C", &place, "create", "--agent", &waits, "--max-rounds", "9", "it waits"]).exits(0);
    read_fifo(&up);
    world.goal(&["-C", &place, "edit", "--objective", "it waits longer"]).exits(0);
    world.goal(&["-C", &place, "pause", "--after-round"]).exits(0);
    world.goal(&["-C", &place, "resume"]).exits(0);
    world.goal(&["-C", &place, "say", "a remark"]).exits(0);
    let step = || {
        std::fs::File::create(&go).unwrap().write_all(b"go\n").unwrap();
        read_fifo(&up);
    };
    step();
    step();
    world.goal(&["-C", &place, "say", "--now", "stop that"]).exits(0);
    read_fifo(&up);
    step();
    world.goal(&["-C", &place, "pause"]).exits(0);
    // A message's turn that is stopped.
    world.goal(&["-C", &place, "say", "one more thing"]).exits(0);
    read_fifo(&up);
    world.goal(&["-C", &place, "pause"]).exits(0);
    // What finished goals left is purged in one session: its events name texts that are gone.
    world.goal(&["-C", &tree("words"), "purge"]).exits(0);
    world.goal(&["daemon", "restart"]).exits(0);
    let read = reading(&world);
    world.goal(&["daemon", "stop"]).exits(0);
    std::fs::write(fixture(format, "json"), serde_json::to_string_pretty(&read).unwrap() + "\n").unwrap();
    copy(&world.home().join("goald.db"), &fixture(format, "db"));
}
