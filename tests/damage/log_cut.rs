//! A write-ahead log that lost acknowledged events, and a log of a newer goald: neither is changed.

use super::{files, takes_no_change};
use crate::harness::World;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::fs::OpenOptions;
use std::path::PathBuf;

/// Of the log: its header, then frames of a header and a page.
const HEADER: u64 = 32;
const FRAME: u64 = 24 + 4096;

fn log(world: &World) -> PathBuf {
    world.home().join("goald.db-wal")
}

/// A world whose daemon was killed: every event is in the write-ahead log only.
fn killed() -> World {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.goal(&["run", "-s", "first", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    world.goal(&["say", "-s", "first", "last word"]).exits(0);
    world.kill_daemon();
    world
}

fn cut(world: &World, length: u64) {
    OpenOptions::new().write(true).open(log(world)).unwrap().set_len(length).unwrap();
}

/// Two daemons say so, change nothing, and end when told to.
fn refuses(world: &World) {
    let before = files(world);
    for _daemon in 0..2 {
        takes_no_change(world);
        world.goal(&["daemon", "stop"]).exits(0);
        assert!(files(world) == before, "not a byte is changed");
    }
}

#[test]
fn what_is_left_of_a_log_that_was_cut_is_shown_and_nothing_more_is_written() {
    let half = killed();
    cut(&half, std::fs::metadata(log(&half)).unwrap().len() / 2);
    refuses(&half);

    let frame = killed();
    let length = std::fs::metadata(log(&frame)).unwrap().len();
    assert_eq!((length - HEADER) % FRAME, 0);
    cut(&frame, length - FRAME);
    let shown = frame.goal(&["list"]);
    assert!(
        shown.stdout.contains("first") && shown.stderr.contains("were acknowledged, but the log ends at"),
        "{shown:?}"
    );
    frame.goal(&["status", "-s", "first"]).exits(0);
    refuses(&frame);
}

#[test]
fn a_log_of_which_nothing_is_left_is_missed() {
    for removed in [false, true] {
        let world = killed();
        if removed {
            std::fs::remove_file(log(&world)).unwrap();
        } else {
            cut(&world, 0);
        }
        let told = world.goal(&["list", "--json"]).json(1);
        assert_eq!(told["error"]["code"], "store-damaged", "{told}");
        refuses(&world);
    }
}

#[test]
fn an_attempt_that_was_open_holds_up_no_daemon_that_cannot_close_it() {
    let world = World::new();
    world.fifo("held");
    world.script("agent.sh", "cat > /dev/null; exec sleep 600 > held");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    let held = crate::harness::open(&world.work().join("held"));
    world.kill_daemon();
    cut(&world, std::fs::metadata(log(&world)).unwrap().len() - FRAME);
    refuses(&world);
    crate::harness::gone(held);
}

#[test]
fn a_newer_log_is_left_as_it_is_with_what_stands_in_its_write_ahead_log() {
    for merged in [true, false] {
        let world = killed();
        let newer = Connection::open(world.home().join("goald.db")).unwrap();
        newer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !merged).unwrap();
        newer.execute_batch("PRAGMA user_version = 99").unwrap();
        drop(newer);
        assert_eq!(std::fs::metadata(log(&world)).is_ok_and(|log| log.len() > 0), !merged);
        let before = files(&world);
        for verb in [&["list", "--json"][..], &["create", "--agent", "./agent.sh", "y", "--json"]] {
            let refused = world.goal(verb).json(1);
            assert_eq!(refused["error"]["code"], "newer-store");
            let told = "the database has format 99; this goald knows formats up to 1";
            assert_eq!(refused["error"]["message"], told);
        }
        let refused = world.goal(&["daemon", "run"]);
        assert!(refused.code == 1 && refused.stderr.contains("format 99"), "{refused:?}");
        assert!(files(&world) == before, "not a byte is changed");
    }
}
