//! What is known of sessions without replaying them.

use super::support::{Fixture, append_of, event, session, small};
use crate::store::{Store as _, StoreError};
use goald_schema::event::EventData;
use goald_schema::number::Position;
use uuid::Uuid;

fn opened(name: &str) -> EventData {
    let profile = r#"{"name":"fake","adapter":{"kind":"command","program":"/bin/true","args":[],"output":"text"}}"#;
    event("session/opened", &format!(r#"{{"workspace":"/w","name":"{name}","profile":{profile}}}"#))
}

fn started(attempt: Uuid) -> EventData {
    let prompt = "0".repeat(64);
    let guard = r#"{"pid":1,"startTicks":2,"bootId":"b"}"#;
    event(
        "attempt/started",
        &format!(
            r#"{{"attempt":"{attempt}","turn":{{"kind":"round","round":1}},"number":1,"prompt":"{prompt}",
                "guard":{guard},"program":"/bin/true"}}"#
        ),
    )
}

fn ended(attempt: Uuid) -> EventData {
    event(
        "attempt/ended",
        &format!(
            r#"{{"attempt":"{attempt}","outcome":{{"kind":"completed"}},"delivered":"yes","workedMs":1,
                "next":{{"kind":"turn-over"}},"suppressed":0}}"#
        ),
    )
}

#[test]
fn sessions_are_listed_in_the_order_of_their_opening() {
    let mut fixture = Fixture::new();
    let ids = [session(), session(), session()];
    // Opened against the order of their ids.
    for (id, name) in ids.iter().rev().zip(["a", "b", "c"]) {
        fixture.append(append_of(*id, 0, vec![opened(name)])).unwrap();
        fixture.append(small(*id, 1)).unwrap();
    }
    fixture.reopen();
    let listed = fixture.store().sessions().unwrap();
    let names: Vec<_> = listed.iter().map(|(id, opened)| (*id, opened.name.as_str())).collect();
    assert_eq!(names, [(ids[2], "a"), (ids[1], "b"), (ids[0], "c")]);
}

#[test]
fn a_session_that_does_not_begin_with_its_opening_is_damaged() {
    let fixture = Fixture::new();
    let session = session();
    fixture.append(small(session, 0)).unwrap();
    match fixture.store().sessions() {
        Err(StoreError::Damaged { session: named, position, .. }) => {
            assert_eq!((named, position), (session, Some(Position(1))));
        }
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn an_attempt_is_open_from_its_start_to_its_own_end_and_across_reopening() {
    let mut fixture = Fixture::new();
    let (one, other) = (session(), session());
    let attempt = Uuid::now_v7();
    fixture.append(append_of(one, 0, vec![opened("one"), started(attempt)])).unwrap();
    fixture.append(append_of(other, 0, vec![opened("other"), started(Uuid::now_v7())])).unwrap();
    fixture.append(small(one, 2)).unwrap();
    fixture.append(append_of(one, 3, vec![ended(Uuid::now_v7())])).unwrap();
    fixture.reopen();
    assert_eq!(fixture.store().open_attempts().unwrap(), [one, other]);
    fixture.append(append_of(one, 4, vec![ended(attempt)])).unwrap();
    assert_eq!(fixture.store().open_attempts().unwrap(), [other]);
}

#[test]
fn the_one_daemon_holds_every_lease() {
    let fixture = Fixture::new();
    let session = session();
    let epoch = fixture.store().claim(session).unwrap();
    assert_eq!(fixture.store().renew(session, epoch), Ok(()));
    assert_eq!(fixture.store().release(session, epoch), Ok(()));
}
