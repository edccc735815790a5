//! Following the log by position, beside a writer at work.

use super::support::{Fixture, append_of, refusal, session, small};
use crate::store::{SqliteStore, Store as _};
use goald_schema::event::EventRecord;
use goald_schema::number::{Position, Seq};
use std::sync::Arc;

fn positions(records: &[EventRecord]) -> Vec<u64> {
    records.iter().map(|record| record.position.get()).collect()
}

#[test]
fn sessions_interleave_and_each_keeps_its_own_numbers() {
    let fixture = Fixture::new();
    let (one, other) = (session(), session());
    for (session, expected) in [(one, 0), (other, 0), (one, 1), (one, 2), (other, 1)] {
        fixture.append(small(session, expected)).unwrap();
    }
    let numbers = |session| -> Vec<(u64, u64)> {
        let records = fixture.store().read(session, Seq(0)).unwrap();
        records.iter().map(|record| (record.seq.get(), record.position.get())).collect()
    };
    assert_eq!(numbers(one), [(1, 1), (2, 3), (3, 4)]);
    assert_eq!(numbers(other), [(1, 2), (2, 5)]);
}

#[test]
fn the_tail_goes_on_after_any_position_for_all_sessions_or_one_and_in_portions() {
    let fixture = Fixture::new();
    let (one, other) = (session(), session());
    for expected in 0..3 {
        fixture.append(small(one, expected)).unwrap();
        fixture.append(small(other, expected)).unwrap();
    }
    let tail = |after, session, limit| positions(&fixture.store().tail(Position(after), session, limit).unwrap());
    assert_eq!(tail(0, None, 100), [1, 2, 3, 4, 5, 6]);
    assert_eq!(tail(4, None, 100), [5, 6]);
    assert_eq!(tail(1, None, 2), [2, 3]);
    assert_eq!(tail(0, Some(one), 2), [1, 3]);
    assert_eq!(tail(1, Some(other), 100), [2, 4, 6]);
    assert_eq!(tail(4, Some(one), usize::MAX), [5]);
    assert_eq!(tail(5, Some(one), 100), [0; 0]);
    assert_eq!(tail(u64::MAX, None, 100), [0; 0]);
    assert_eq!(tail(0, None, 0), [0; 0]);
}

#[tokio::test]
async fn a_follower_misses_nothing_and_sees_nothing_twice_while_many_append() {
    const SESSIONS: usize = 8;
    const EACH: u64 = 25;
    let mut fixture = Fixture::new();
    let store: Arc<SqliteStore> = Arc::new(fixture.store.take().unwrap());
    for _ in 0..SESSIONS {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let session = session();
            for expected in (0..EACH).map(|round| round * 2) {
                let two = append_of(session, expected, vec![refusal("one"), refusal("two")]);
                store.append(two).await.unwrap();
            }
        });
    }
    let mut newest = store.position();
    let mut seen: Vec<u64> = Vec::new();
    while seen.len() < SESSIONS * 50 {
        newest.changed().await.unwrap();
        let announced = newest.borrow_and_update().get();
        let after = seen.last().copied().unwrap_or(0);
        seen.extend(positions(&store.tail(Position(after), None, usize::MAX).unwrap()));
        assert!(seen.last().copied() >= Some(announced), "announced before it could be read");
    }
    assert!(seen.is_sorted_by(|one, next| one < next), "{seen:?}");
}

#[test]
fn a_long_read_keeps_its_view_and_does_not_block_the_writer() {
    let fixture = Fixture::new();
    let session = session();
    fixture.append(small(session, 0)).unwrap();
    let reader = crate::store::open::reader(&fixture.path()).unwrap();
    let snapshot = reader.unchecked_transaction().unwrap();
    assert_eq!(super::support::count(&snapshot, "events"), 1);
    fixture.append(small(session, 1)).unwrap();
    assert_eq!(super::support::count(&snapshot, "events"), 1);
    assert_eq!(fixture.store().read(session, Seq(0)).unwrap().len(), 2);
}

#[test]
fn a_reading_connection_cannot_write() {
    let fixture = Fixture::new();
    let reader = crate::store::open::reader(&fixture.path()).unwrap();
    assert!(reader.execute("DELETE FROM blobs", []).is_err());
}
