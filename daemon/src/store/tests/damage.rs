//! Whoever gets at the file cannot change the past unnoticed.

use super::support::{Fixture, append_of, refusal, session, small};
use crate::store::{Store as _, StoreError};
use goald_schema::id::SessionId;
use goald_schema::number::{Position, Seq};

/// A session of three events at positions 1 to 3, and an untouched one at position 4.
fn log() -> (Fixture, SessionId, SessionId) {
    let fixture = Fixture::new();
    let (session, other) = (session(), session());
    let events = vec![refusal("one"), refusal("two"), refusal("three")];
    fixture.append(append_of(session, 0, events)).unwrap();
    fixture.append(small(other, 0)).unwrap();
    (fixture, session, other)
}

/// Does it behind the store's back, and says at which position reading the session then fails.
#[track_caller]
fn damaged_at(vandalism: &str) -> Option<Position> {
    let (fixture, session, other) = log();
    fixture.vandal().execute_batch(vandalism).unwrap();
    assert_eq!(fixture.store().read(other, Seq(0)).unwrap().len(), 1, "another session is not concerned");
    match fixture.store().read(session, Seq(0)) {
        Err(StoreError::Damaged { session: named, position, .. }) if named == session => position,
        answer => panic!("{vandalism}: {answer:?}"),
    }
}

#[test]
fn events_can_be_neither_changed_nor_deleted() {
    let (fixture, ..) = log();
    let raw = fixture.raw();
    assert!(raw.execute("UPDATE events SET at = 0", []).unwrap_err().to_string().contains("never changed"));
    assert!(raw.execute("DELETE FROM events", []).unwrap_err().to_string().contains("never deleted"));
}

#[test]
fn a_change_of_any_column_is_found_at_its_place() {
    for change in [
        "id = zeroblob(16)",
        "at = at + 1",
        r#"actor = '{"kind":"driver"}'"#,
        "via = 'mcp'",
        "type = 'goal/change'",
        "version = 2",
        "data = replace(data, 'two', 'owt')",
        "data = data || ' '",
        "hash = zeroblob(32)",
    ] {
        let place = damaged_at(&format!("UPDATE events SET {change} WHERE position = 2"));
        assert_eq!(place, Some(Position(2)), "{change}");
    }
}

#[test]
fn a_moved_event_is_found() {
    assert_eq!(damaged_at("UPDATE events SET position = 100 WHERE position = 2"), Some(Position(3)));
    assert_eq!(damaged_at("UPDATE events SET session = zeroblob(16) WHERE position = 2"), Some(Position(3)));
    assert_eq!(damaged_at("UPDATE events SET seq = 9 WHERE position = 2"), Some(Position(3)));
}

#[test]
fn a_deleted_event_is_found_wherever_it_stood() {
    assert_eq!(damaged_at("DELETE FROM events WHERE position = 1"), Some(Position(2)));
    assert_eq!(damaged_at("DELETE FROM events WHERE position = 2"), Some(Position(3)));
    assert_eq!(damaged_at("DELETE FROM events WHERE position = 3"), Some(Position(2)));
    assert_eq!(damaged_at("DELETE FROM events WHERE position < 4"), None);
}

#[test]
fn a_gap_is_called_a_gap() {
    let (fixture, session, _) = log();
    fixture.vandal().execute_batch("DELETE FROM events WHERE position = 2").unwrap();
    let refused = fixture.store().read(session, Seq(0)).unwrap_err().to_string();
    assert!(refused.ends_with("at position 3: event 2 is missing, event 3 follows"), "{refused}");
}

#[test]
fn a_missing_or_changed_head_row_is_found() {
    let last = Some(Position(3));
    assert_eq!(damaged_at("DELETE FROM heads WHERE seq = 3"), last);
    assert_eq!(damaged_at("DELETE FROM heads WHERE seq = 3; DELETE FROM events WHERE position = 3"), Some(Position(2)));
    assert_eq!(damaged_at("UPDATE heads SET seq = 2 WHERE seq = 3"), last);
    assert_eq!(damaged_at("UPDATE heads SET hash = zeroblob(32) WHERE seq = 3"), last);
}

#[test]
fn damage_behind_a_known_event_is_found_and_an_event_that_was_known_must_be_there() {
    let (fixture, session, _) = log();
    assert_eq!(fixture.store().read(session, Seq(2)).unwrap().len(), 1);
    assert_eq!(fixture.store().read(session, Seq(3)), Ok(Vec::new()));
    assert!(matches!(fixture.store().read(session, Seq(4)), Err(StoreError::Damaged { .. })));
    fixture.vandal().execute_batch("UPDATE events SET at = 0 WHERE position = 3").unwrap();
    let refused = fixture.store().read(session, Seq(2));
    assert!(matches!(refused, Err(StoreError::Damaged { position: Some(Position(3)), .. })), "{refused:?}");
}

#[test]
fn nothing_is_appended_where_the_head_row_is_behind_the_events() {
    let (fixture, session, _) = log();
    fixture.vandal().execute_batch("DELETE FROM heads WHERE seq = 3").unwrap();
    let refused = fixture.append(small(session, 0));
    assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
}

#[test]
fn a_log_that_ends_before_what_was_committed_takes_nothing_more() {
    // As an older copy that was written over the open file.
    let (fixture, session, other) = log();
    fixture.vandal().execute_batch("DELETE FROM heads; DELETE FROM events WHERE position > 1").unwrap();
    for _twice in 0..2 {
        let refused = fixture.append(small(session, 0)).unwrap_err();
        assert!(
            matches!(&refused, StoreError::Corrupt { what } if what.contains("ended at position 4")),
            "{refused:?}"
        );
    }
    assert!(fixture.store().damaged().is_cancelled() && fixture.store().damage().is_some());
    assert!(fixture.append(small(other, 0)).is_err());
}

#[test]
fn an_unknown_event_stops_the_tail_with_its_place() {
    let (fixture, session, _) = log();
    fixture.vandal().execute_batch("UPDATE events SET type = 'goal/wish' WHERE position = 2").unwrap();
    match fixture.store().tail(Position(0), None, 10) {
        Err(StoreError::Damaged { session: named, position, what }) => {
            assert_eq!((named, position), (session, Some(Position(2))));
            assert!(what.contains("goal/wish"), "{what}");
        }
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn an_empty_session_is_no_damage() {
    assert_eq!(log().0.store().read(session(), Seq(0)), Ok(Vec::new()));
}
