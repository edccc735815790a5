//! A damaged log: what can be read is shown, nothing is changed, and it is never silent.

mod log_cut;
mod place;
mod read_only;
mod session;
mod while_running;

use crate::harness::World;
use serde_json::Value;
use std::collections::BTreeMap;

/// A world with two sessions whose goals have ended, and no daemon.
fn stopped() -> World {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    for name in ["hurt", "well"] {
        world.goal(&["run", "-s", name, "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    }
    world.goal(&["daemon", "stop"]).exits(0);
    world
}

/// The files of the log, byte by byte.
fn files(world: &World) -> BTreeMap<&'static str, Option<Vec<u8>>> {
    ["goald.db", "goald.db-wal", "goald.end"]
        .map(|name| {
            let bytes = std::fs::read(world.home().join(name)).ok();
            // A reader leaves a log of no bytes where there was none.
            (name, bytes.filter(|bytes| !bytes.is_empty()))
        })
        .into()
}

/// The daemon stays up, says that the database is damaged, and refuses to open a session.
fn takes_no_change(world: &World) {
    let refused = world.goal(&["say", "-s", "new", "--agent", "./agent.sh", "x", "--json"]).json(1);
    assert_eq!(refused["error"]["code"], "store-damaged");
    let status: Value = world.goal(&["daemon", "status", "--json"]).json(0);
    assert_eq!(status["storeDamage"]["code"], "store-damaged");
}

#[test]
fn a_flipped_byte_in_a_page_or_in_the_root_page_refuses_every_change() {
    for name in [None, Some("events"), Some("sqlite_autoindex_events_1"), Some("events_first")] {
        let world = stopped();
        let path = world.home().join("goald.db");
        let page: u32 = name.map_or(1, |name| {
            let raw = rusqlite::Connection::open(&path).unwrap();
            raw.query_row("SELECT rootpage FROM sqlite_schema WHERE name = ?1", [name], |row| row.get(0)).unwrap()
        });
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[(usize::try_from(page).unwrap() - 1) * 4096] ^= 0x40;
        std::fs::write(&path, &bytes).unwrap();
        takes_no_change(&world);
        world.goal(&["daemon", "stop"]).exits(0);
        assert!(std::fs::read(&path).unwrap() == bytes, "{name:?}: not a byte is changed");
    }
}

#[test]
fn a_database_that_is_removed_under_the_daemon_takes_no_change_then_or_later() {
    let world = stopped();
    world.goal(&["list"]).exits(0);
    std::fs::remove_file(world.home().join("goald.db")).unwrap();
    takes_no_change(&world);
    world.goal(&["daemon", "stop"]).exits(0);
    takes_no_change(&world);
    assert!(!world.home().join("goald.db").exists(), "none is made anew");
}
