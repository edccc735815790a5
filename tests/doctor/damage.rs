//! Each kind of damage of the log, told by its code.

use super::{OBJECTIVE, codes, examined, kept, problems};
use crate::harness::World;
use goald_schema::doctor::FindingCode;
use rusqlite::Connection;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

pub fn database(world: &World) -> PathBuf {
    world.home().join("goald.db")
}

/// Changes the database behind goald's back, past the triggers that would refuse it, and leaves its structure as it was.
pub fn meddled(world: &World, sql: &str) {
    let connection = Connection::open(database(world)).expect("opened");
    let mut triggers = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").expect("read");
    let triggers: Vec<(String, String)> =
        triggers.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).and_then(Iterator::collect).expect("the triggers");
    for (name, _) in &triggers {
        connection.execute_batch(&format!("DROP TRIGGER {name}")).expect("dropped");
    }
    connection.execute_batch(sql).expect("changed");
    for (_, trigger) in &triggers {
        connection.execute_batch(trigger).expect("as before");
    }
}

fn number(world: &World, sql: &str) -> u64 {
    let connection = Connection::open(database(world)).expect("opened");
    let number: i64 = connection.query_row(sql, [], |row| row.get(0)).expect("a number");
    u64::try_from(number).expect("not negative")
}

fn write(world: &World, at: u64, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(database(world)).expect("opened");
    file.write_all_at(bytes, at).expect("written");
}

#[test]
fn a_changed_event_stops_its_session_and_no_other_and_nothing_of_it_is_quoted() {
    let world = kept();
    meddled(&world, "UPDATE events SET data = replace(data, 'whisper', 'Whisper') WHERE position = 2");
    let findings = examined(&world, 1);
    let wrong: Vec<_> = findings.iter().filter(|finding| finding.code == Some(FindingCode::SessionDamaged)).collect();
    assert_eq!(wrong.len(), 1, "{findings:?}");
    assert_eq!(wrong[0].position.map(goald_schema::number::Position::get), Some(2));
    assert!(wrong[0].message.contains("(first of ") && wrong[0].hint.is_some(), "{wrong:?}");
    assert!(world.goal(&["doctor"]).exits(1).contains("1 other sessions are whole"));
}

#[test]
fn a_decoder_s_words_quote_nothing_of_the_goal() {
    let world = kept();
    // The chain is made to fit: only decoding can fail, and its message would have the objective.
    let sql = format!("UPDATE events SET at = at + 1, data = '\"{OBJECTIVE} \\\" and more\"' WHERE position = 2");
    meddled(&world, &sql);
    assert_eq!(problems(&world), ["session-damaged"]);
}

#[test]
fn a_name_in_a_damaged_log_writes_nothing_on_a_terminal() {
    let world = kept();
    meddled(&world, r#"UPDATE events SET data = replace(data, '"first"', '"\u001b[2Jfirst"') WHERE position = 1"#);
    assert_eq!(problems(&world), ["session-damaged"]);
    let text = world.goal(&["doctor"]).exits(1);
    assert!(text.contains(r"(\u{1b}[2Jfirst of "), "{text}");
}

#[test]
fn a_deleted_event_is_a_gap_and_breaks_its_session() {
    let world = kept();
    meddled(&world, "DELETE FROM events WHERE position = 3");
    assert_eq!(problems(&world), ["log-gap", "session-damaged"]);
}

#[test]
fn a_session_that_was_taken_out_whole_is_told_by_its_gap_or_by_the_end() {
    let world = kept();
    let session = "(SELECT session FROM events WHERE position = 1)";
    let whole = format!(
        "CREATE TEMP TABLE gone AS SELECT {session} AS session;
         DELETE FROM heads WHERE session IN (SELECT session FROM gone);
         DELETE FROM events WHERE session IN (SELECT session FROM gone);"
    );
    meddled(&world, &whole);
    let findings = examined(&world, 1);
    assert_eq!(codes(&findings), ["log-gap"], "{findings:?}");
    meddled(&world, "DELETE FROM heads; DELETE FROM events");
    let findings = examined(&world, 1);
    assert_eq!(codes(&findings), ["log-cut"], "{findings:?}");
}

#[test]
fn a_head_row_that_is_gone_or_alone_is_told() {
    let world = kept();
    meddled(&world, "DELETE FROM heads WHERE session = (SELECT session FROM events WHERE position = 1)");
    assert_eq!(problems(&world), ["session-damaged"]);
    let alone = kept();
    meddled(&alone, "INSERT INTO heads VALUES (zeroblob(16), 3, zeroblob(32), NULL)");
    assert_eq!(problems(&alone), ["session-damaged"]);
    let open = kept();
    meddled(&open, "UPDATE heads SET open_attempt = zeroblob(16)");
    assert_eq!(problems(&open), ["session-damaged"; 2]);
}

#[test]
fn a_damaged_page_is_told_wherever_it_is() {
    for of in ["events", "heads", "blobs", "events_first"] {
        let world = kept();
        let root = number(&world, &format!("SELECT rootpage FROM sqlite_schema WHERE name = '{of}'"));
        let size = number(&world, "PRAGMA page_size");
        write(&world, (root - 1) * size, &[0xff; 64]);
        let found = problems(&world);
        assert!(found.contains(&"log-pages"), "{of}: {found:?}");
    }
    let world = kept();
    // The page of the structure itself, behind the header of the file.
    write(&world, 100, &[0xff; 64]);
    let found = problems(&world);
    assert!(found.contains(&"log-pages") || found.contains(&"log-unusable"), "{found:?}");
}

#[test]
fn a_file_that_is_no_database_is_told_and_left_as_it_is() {
    let world = kept();
    write(&world, 0, &[0xff; 100]);
    assert_eq!(problems(&world), ["log-unusable"]);
    std::fs::write(
        database(&world),
        "not a database, but a few words that are longer than a header of one is, which has 100 bytes",
    )
    .expect("written");
    assert_eq!(problems(&world), ["log-unusable"]);
}

#[test]
fn a_structure_that_was_changed_is_told() {
    let world = kept();
    let connection = Connection::open(database(&world)).expect("opened");
    connection.execute_batch("DROP TRIGGER events_are_never_deleted").expect("dropped");
    drop(connection);
    assert_eq!(problems(&world), ["log-structure"]);
}

#[test]
fn a_newer_log_is_told_and_not_looked_at() {
    let world = kept();
    meddled(&world, "PRAGMA user_version = 99");
    assert_eq!(problems(&world), ["log-newer"]);
}

#[test]
fn a_log_that_is_gone_is_told_by_what_it_left() {
    let world = kept();
    std::fs::remove_file(database(&world)).expect("removed");
    assert_eq!(problems(&world), ["log-missing"]);
}

#[test]
fn a_write_ahead_log_counts_without_being_moved_and_its_loss_is_told() {
    let world = kept();
    world.goal(&["-s", "first", "say", "a word"]).exits(0);
    world.kill_daemon();
    let log = world.home().join("goald.db-wal");
    let length = std::fs::metadata(&log).expect("it is left").len();
    assert!(length > 0, "what was written last is in it");
    assert_eq!(codes(&examined(&world, 0)), Vec::<&str>::new());
    OpenOptions::new().write(true).open(&log).expect("opened").set_len(length / 2).expect("cut");
    std::fs::remove_file(world.home().join("goald.db-shm")).expect("removed");
    assert_eq!(problems(&world), ["log-cut"]);
}

#[test]
fn a_text_that_an_unfinished_goal_needs_is_missed_and_one_of_a_finished_goal_is_not() {
    let world = kept();
    meddled(&world, "DELETE FROM blobs");
    assert!(problems(&world).iter().all(|code| *code == "text-missing"));
    for session in ["first", "second"] {
        world.goal(&["-s", session, "complete"]).exits(0);
    }
    world.goal(&["daemon", "stop"]).exits(0);
    let findings = examined(&world, 0);
    assert!(findings.iter().any(|finding| finding.code == Some(FindingCode::TextsGone)), "{findings:?}");
}

#[test]
fn a_text_that_is_not_what_was_written_is_told() {
    let world = kept();
    meddled(&world, "UPDATE blobs SET bytes = CAST('other words' AS BLOB)");
    assert!(problems(&world).iter().all(|code| *code == "text-damaged"));
}
