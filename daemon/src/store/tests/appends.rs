//! What one append does, and what it refuses.

use super::support::{Fixture, append_of, count, refusal, session, small, with_blob};
use crate::store::{Append, Store as _, StoreError};
use goald_schema::number::{Position, Seq};
use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

#[test]
fn an_appended_event_is_read_back_as_it_was_answered() {
    let fixture = Fixture::new();
    let session = session();
    let events = vec![refusal("an agent may not"), refusal("\u{0}ünïcode \"quoted\"")];
    let answered = fixture.append(append_of(session, 0, events.clone())).unwrap();
    let read = fixture.store().read(session, Seq(0)).unwrap();
    assert_eq!(read, answered);
    for (record, (data, seq)) in read.iter().zip(events.iter().zip(1..)) {
        assert_eq!((record.id, record.at, &record.actor, record.via), (data.id, data.at, &data.actor, data.via));
        assert_eq!((&record.event, record.session, record.seq), (&data.event, session, Seq(seq)));
    }
    assert_eq!(read.len(), 2);
}

#[test]
fn everything_is_there_after_reopening() {
    let mut fixture = Fixture::new();
    let session = session();
    let mut all = fixture.append(with_blob(session, 0, 1_000)).unwrap();
    fixture.reopen();
    all.extend(fixture.append(small(session, 1)).unwrap());
    fixture.reopen();
    assert_eq!(fixture.store().read(session, Seq(0)).unwrap(), all);
    assert_eq!(*fixture.store().position().borrow(), Position(2));
}

#[test]
fn a_caller_that_knows_another_end_of_the_session_is_refused_and_nothing_is_written() {
    let fixture = Fixture::new();
    let session = session();
    fixture.append(small(session, 0)).unwrap();
    for expected in [0, 2, u64::MAX] {
        let refused = fixture.append(with_blob(session, expected, 10));
        assert_eq!(refused, Err(StoreError::Conflict { expected: Seq(expected), actual: Seq(1) }));
    }
    assert_eq!(fixture.store().read(session, Seq(0)).unwrap().len(), 1);
    assert_eq!(count(&fixture.raw(), "blobs"), 0);
}

#[test]
fn a_repeated_append_is_answered_with_what_is_stored() {
    let mut fixture = Fixture::new();
    let session = session();
    let append = append_of(session, 0, vec![refusal("one"), refusal("two")]);
    let first = fixture.append(append.clone()).unwrap();
    fixture.append(small(session, 2)).unwrap();
    fixture.reopen();
    assert_eq!(fixture.append(append).unwrap(), first);
    assert_eq!(fixture.store().read(session, Seq(0)).unwrap().len(), 3);
    assert_eq!(*fixture.store().position().borrow(), Position(3));
}

#[test]
fn an_event_id_that_is_taken_is_refused_and_nothing_is_written() {
    let fixture = Fixture::new();
    let (one, other) = (session(), session());
    let taken = refusal("first");
    let id = taken.id;
    fixture.append(append_of(one, 0, vec![taken.clone()])).unwrap();
    let reused = Err(StoreError::Reused { id });
    assert_eq!(fixture.append(append_of(one, 1, vec![taken.clone()])), reused, "at another place");
    assert_eq!(fixture.append(append_of(other, 0, vec![refusal("new"), taken.clone()])), reused, "in another session");
    let third = session();
    fixture.append(small(third, 0)).unwrap();
    let elsewhere = append_of(third, 0, vec![taken.clone()]);
    assert_eq!(fixture.append(elsewhere), reused, "at the same place of another session");
    let longer = append_of(one, 0, vec![taken, refusal("more than was stored")]);
    assert!(matches!(fixture.append(longer), Err(StoreError::Reused { .. })), "another append with the same start");
    assert_eq!(fixture.store().read(other, Seq(0)), Ok(Vec::new()));
    assert_eq!(count(&fixture.raw(), "events"), 2);
}

#[test]
fn the_answer_comes_only_after_the_commit() {
    let fixture = Fixture::new();
    let raw = fixture.raw();
    raw.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut pending = pin!(fixture.store().append(small(session(), 0)));
    // Nobody else can commit while `raw` holds the lock, so this cannot be a matter of luck.
    assert_eq!(pending.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending);
    assert_eq!(*fixture.store().position().borrow(), Position(0));
    raw.execute_batch("ROLLBACK").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let answered = runtime.block_on(pending).unwrap();
    assert_eq!(count(&raw, "events"), 1);
    assert_eq!(*fixture.store().position().borrow(), answered[0].position);
}

#[test]
fn an_append_that_nobody_waits_for_is_made_before_the_store_closes() {
    let mut fixture = Fixture::new();
    let session = session();
    for expected in 0..50 {
        drop(fixture.store().append(small(session, expected)));
    }
    fixture.reopen();
    assert_eq!(fixture.store().read(session, Seq(0)).unwrap().len(), 50);
}

#[test]
fn an_event_is_found_by_its_id() {
    let fixture = Fixture::new();
    let data = refusal("found");
    let stored = fixture.append(append_of(session(), 0, vec![data.clone()])).unwrap();
    assert_eq!(fixture.store().event(data.id).unwrap().as_ref(), stored.first());
    assert_eq!(fixture.store().event(refusal("unknown").id), Ok(None));
}

#[test]
fn an_append_without_events_stores_its_blobs_and_no_session() {
    let fixture = Fixture::new();
    let append = Append { events: Vec::new(), ..with_blob(session(), 0, 100) };
    let hash = append.blobs[0].hash.clone();
    assert_eq!(fixture.append(append), Ok(Vec::new()));
    assert!(fixture.store().blob(&hash).unwrap().is_some());
    assert_eq!(count(&fixture.raw(), "heads"), 0);
}
