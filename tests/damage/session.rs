//! Damage of one session: it is told with its place and is not written to, and the others go on.

use super::stopped;
use crate::doctor::damage::meddled;
use crate::harness::World;
use rusqlite::Connection;
use serde_json::Value;

/// Everything that is stored of the session that has this event, as bytes.
fn rows(world: &World, session: &[u8]) -> Vec<(i64, Vec<u8>)> {
    let raw = Connection::open(world.home().join("goald.db")).unwrap();
    let mut rows = raw.prepare("SELECT position, hash FROM events WHERE session = ?1 ORDER BY position").unwrap();
    rows.query_map([session], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

/// Each verb that concerns the session.
const VERBS: [&[&str]; 12] = [
    &["status"],
    &["log"],
    &["rounds"],
    &["output"],
    &["wait"],
    &["pause"],
    &["resume"],
    &["clear"],
    &["complete"],
    &["edit", "--max-rounds", "3"],
    &["say", "x"],
    &["create", "--agent", "./agent.sh", "x"],
];

/// Does it to the session `hurt`, whose events are those up to position 7, and looks at it with two daemons.
#[track_caller]
fn stops_there(vandalism: &str, position: u64) {
    let world = stopped();
    let raw = Connection::open(world.home().join("goald.db")).unwrap();
    let hurt: Vec<u8> = raw.query_row("SELECT session FROM events WHERE position = 1", [], |row| row.get(0)).unwrap();
    drop(raw);
    meddled(&world, vandalism);
    let before = rows(&world, &hurt);
    for _daemon in 0..2 {
        for verb in VERBS {
            let refused = world.goal(&[&["-s", "hurt", "--json"], verb].concat()).json(1);
            assert_eq!(refused["error"]["code"], "log-damaged", "{verb:?}: {refused}");
            let message = refused["error"]["message"].as_str().unwrap();
            assert!(message.contains(&format!(" at position {position}: ")), "{verb:?}: {message}");
        }
        let list: Value = world.goal(&["list", "--json"]).json(0);
        let listed = list.as_array().unwrap().iter().find(|row| row["session"]["name"] == "hurt");
        let damage = listed.and_then(|row| row["damaged"].as_str()).unwrap_or_else(|| panic!("it is listed: {list}"));
        assert!(damage.contains(&format!(" at position {position}: ")), "{damage}");
        let daemon: Value = world.goal(&["daemon", "status", "--json"]).json(0);
        assert_eq!(daemon["storeDamage"], Value::Null, "the database as a whole is sound");
        // The others go on: one that was there, and a new one.
        world.goal(&["-s", "well", "clear"]).exits(0);
        world.goal(&["-s", "well", "run", "--agent", "./agent.sh", "--check", "true", "y"]).exits(0);
        world.goal(&["-s", "new", "run", "--agent", "./agent.sh", "--check", "true", "y"]).exits(0);
        world.goal(&["daemon", "stop"]).exits(0);
        assert_eq!(rows(&world, &hurt), before, "nothing is written to it");
    }
}

#[test]
fn a_flipped_byte_in_an_event_stops_its_session_at_that_place() {
    stops_there("UPDATE events SET data = CAST(replace(data, 'agent.sh', 'agent.sx') AS TEXT) WHERE position = 2", 2);
}

#[test]
fn a_row_deleted_in_the_middle_stops_its_session_at_the_next() {
    stops_there("DELETE FROM events WHERE position = 3", 4);
}

#[test]
fn rows_cut_at_the_end_stop_their_session_at_what_is_left() {
    stops_there(
        "DELETE FROM events WHERE position > 5 AND session = (SELECT session FROM events WHERE position = 1)",
        5,
    );
}

#[test]
fn a_head_row_that_is_behind_stops_its_session() {
    let last = "(SELECT max(seq) FROM events WHERE session = heads.session)";
    let sql =
        format!("UPDATE heads SET seq = {last} - 1 WHERE session = (SELECT session FROM events WHERE position = 1)");
    let world = stopped();
    let raw = Connection::open(world.home().join("goald.db")).unwrap();
    let sql_of_end = "SELECT max(position) FROM events WHERE session = (SELECT session FROM events WHERE position = 1)";
    let end: i64 = raw.query_row(sql_of_end, [], |row| row.get(0)).unwrap();
    stops_there(&sql, u64::try_from(end).unwrap());
}
