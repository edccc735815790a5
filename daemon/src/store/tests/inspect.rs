//! Looking at a database without changing it.

use super::support::{Fixture, append_of, refusal, session, small, with_blob};
use crate::store::{Beside, Inspection, StoreError};
use goald_schema::number::Position;

fn inspected(fixture: &Fixture, beside: Beside) -> Inspection {
    let temporary = fixture.path().parent().unwrap().to_owned();
    Inspection::open(&fixture.path(), beside, &temporary).unwrap()
}

/// What the doctor calls a gap must never come of what the store itself does.
#[test]
fn what_is_refused_or_rolled_back_leaves_no_gap() {
    let fixture = Fixture::new();
    let (one, two) = (session(), session());
    let first = refusal("first");
    fixture.append(append_of(one, 0, vec![first.clone()])).unwrap();
    // Each of these inserts rows before it is refused.
    let refused = fixture.append(append_of(two, 0, vec![refusal("x"), refusal("y"), first]));
    assert!(matches!(refused, Err(StoreError::Reused { .. })), "{refused:?}");
    assert!(fixture.append(small(one, 7)).is_err());
    let raw = fixture.raw();
    raw.execute_batch("BEGIN; INSERT INTO events SELECT NULL, randomblob(16), session, 9, at, actor, via, type, version, data, hash FROM events; ROLLBACK").unwrap();
    fixture.append(with_blob(two, 0, 10)).unwrap();
    let inspection = inspected(&fixture, Beside::Daemon);
    assert_eq!(inspection.gaps(), Ok(Vec::new()));
    assert_eq!((inspection.ends(), inspection.counted()), (Ok((Position(2), Some(Position(2)))), Ok(Position(2))));
    assert_eq!(inspection.events(), Ok(2));
    assert_eq!(inspection.pages(), Ok(Vec::new()));
    assert_eq!(inspection.blobs().map(|blobs| (blobs.sound.len(), blobs.damaged.len())), Ok((1, 0)));
}

#[test]
fn a_path_is_a_path_whatever_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a %41?mode=rw#ü\u{7f}.db");
    drop(crate::store::SqliteStore::open(&path).unwrap());
    let inspection = Inspection::open(&path, Beside::Nobody, folder.path()).unwrap();
    assert_eq!(inspection.structure(), Ok(()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "the database and its anchor");
}
