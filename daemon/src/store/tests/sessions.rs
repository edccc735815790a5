//! What is known of sessions without replaying them.

use super::support::{Fixture, append_of, event, session, small};
use crate::store::{Listed, Store as _, StoreError};
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
    let name = |listed: &Listed| match listed {
        Listed::Opened(opened) => opened.name.clone(),
        Listed::Damaged { error, .. } => panic!("{error}"),
    };
    let names: Vec<_> = listed.iter().map(|(id, listed)| (*id, name(listed))).collect();
    let names: Vec<_> = names.iter().map(|(id, name)| (*id, name.as_str())).collect();
    assert_eq!(names, [(ids[2], "a"), (ids[1], "b"), (ids[0], "c")]);
}

#[test]
fn a_session_that_does_not_begin_with_its_opening_is_damaged() {
    let fixture = Fixture::new();
    let session = session();
    fixture.append(small(session, 0)).unwrap();
    match fixture.store().sessions().unwrap().as_slice() {
        [(listed, Listed::Damaged { place: None, error: StoreError::Damaged { session: named, position, .. } })] => {
            assert_eq!((*listed, *named, *position), (session, session, Some(Position(1))));
        }
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn a_session_whose_first_event_is_damaged_is_listed_as_that_and_hides_no_other() {
    let here = Some(("/w".to_owned(), "hurt".to_owned()));
    let moved = Some(("/w".to_owned(), "well".to_owned()));
    for (vandalism, legible) in [
        ("UPDATE events SET data = replace(data, '\"fake\"', '1') WHERE position = 1", here.clone()),
        ("UPDATE events SET actor = 'x' WHERE position = 1", here.clone()),
        ("UPDATE events SET at = at + 1 WHERE position = 1", here.clone()),
        ("UPDATE events SET hash = zeroblob(32) WHERE position = 1", here),
        ("UPDATE events SET data = replace(data, 'hurt', 'well') WHERE position = 1", moved),
        ("UPDATE events SET data = CAST(x'ff' AS TEXT) WHERE position = 1", None),
        ("DELETE FROM events WHERE position = 1", None),
        ("DELETE FROM events WHERE position < 3", None),
    ] {
        let fixture = Fixture::new();
        let (hurt, well) = (session(), session());
        fixture.append(append_of(hurt, 0, vec![opened("hurt")])).unwrap();
        fixture.append(small(hurt, 1)).unwrap();
        fixture.append(append_of(well, 0, vec![opened("well")])).unwrap();
        fixture.vandal().execute_batch(vandalism).unwrap();
        let listed = fixture.store().sessions().unwrap();
        let of = |wanted| &listed.iter().find(|(id, _)| *id == wanted).unwrap().1;
        assert_eq!(listed.len(), 2, "{vandalism}");
        assert!(matches!(of(well), Listed::Opened(opened) if opened.name == "well"), "{vandalism}");
        match of(hurt) {
            Listed::Damaged { place, error: StoreError::Damaged { session, .. } } => {
                assert_eq!((place, *session), (&legible, hurt), "{vandalism}");
            }
            other => panic!("{vandalism}: {other:?}"),
        }
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
