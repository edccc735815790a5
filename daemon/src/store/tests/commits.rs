//! Group commit, and commits that fail. The queue is filled before the writer looks at it, so every batch is known.

use super::support::{Fixture, count, session, small, with_blob};
use crate::store::anchor::Anchor;
use crate::store::append::PendingAppend;
use crate::store::commit::{Committer, Durable, Progress, commit};
use crate::store::health::Health;
use crate::store::writer::{Job, Waiting, run};
use crate::store::{Append, SqliteStore, Store as _, StoreError, open};
use goald_schema::event::EventRecord;
use goald_schema::number::Seq;
use rusqlite::{Connection, ffi};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use tokio::sync::watch;

/// Lets the writer work through a full queue on this thread. Answers in order, and how many commits it took.
fn work_through(
    fixture: &Fixture,
    durable: Durable,
    appends: Vec<Append>,
) -> (Vec<Result<Vec<EventRecord>, StoreError>>, u64) {
    let (jobs, queue) = mpsc::channel();
    let mut pending = Vec::new();
    for append in appends {
        let (answer, waiting) = PendingAppend::channel();
        jobs.send(Job::Append(Waiting { append, answer })).unwrap();
        pending.push(waiting);
    }
    drop(jobs);
    let commits = Arc::new(AtomicU64::new(0));
    let path = fixture.path();
    let connection = open::writer(&path).unwrap();
    let progress = Progress {
        position: watch::Sender::new(open::newest(&connection).unwrap()),
        commits: Arc::clone(&commits),
        anchor: Anchor::open(&path),
    };
    run(Committer::new(connection, durable, progress, Health::of(&path)), &queue);
    (pending.into_iter().map(PendingAppend::wait).collect(), commits.load(Ordering::Relaxed))
}

fn failure(code: i32) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
}

#[test]
fn appends_that_wait_together_become_durable_in_one_commit() {
    let fixture = Fixture::closed();
    let appends = (0..64).map(|_| small(session(), 0)).collect();
    let (answers, commits) = work_through(&fixture, commit, appends);
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 64);
    assert_eq!(commits, 1);
    assert_eq!(count(&fixture.raw(), "events"), 64);
}

#[test]
fn a_batch_is_bounded_in_number_and_in_bytes() {
    let fixture = Fixture::closed();
    let many = (0..1_025).map(|_| small(session(), 0)).collect();
    let (_, commits) = work_through(&fixture, commit, many);
    assert_eq!(commits, 3);
    let large = (0..4).map(|_| with_blob(session(), 0, 5 << 20)).collect();
    let (_, commits) = work_through(&fixture, commit, large);
    assert_eq!(commits, 2);
}

#[test]
fn a_refused_append_harms_no_other_of_its_commit() {
    let fixture = Fixture::closed();
    let (one, other) = (session(), session());
    let appends = vec![small(one, 0), with_blob(one, 0, 10), small(other, 0), small(one, 1)];
    let (answers, commits) = work_through(&fixture, commit, appends);
    assert_eq!(answers[1], Err(StoreError::Conflict { expected: Seq(0), actual: Seq(1) }));
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 3);
    assert_eq!(commits, 1);
    let raw = fixture.raw();
    assert_eq!((count(&raw, "events"), count(&raw, "blobs")), (3, 0));
}

#[test]
fn many_sessions_at_once_share_commits_and_each_gets_its_own_answer() {
    let fixture = Fixture::new();
    let sessions: Vec<_> = (0..16).map(|_| session()).collect();
    let mut pending = Vec::new();
    for round in 0..8 {
        pending.extend(sessions.iter().map(|session| (*session, fixture.store().append(small(*session, round)))));
    }
    for (session, pending) in pending {
        assert_eq!(pending.wait().unwrap()[0].session, session);
    }
    for session in sessions {
        assert_eq!(fixture.store().read(session, Seq(0)).unwrap().len(), 8);
    }
    assert!((1..=128).contains(&fixture.store().commits()));
}

#[test]
fn a_commit_that_fails_is_answered_to_everyone_in_it_and_leaves_nothing() {
    let fixture = Fixture::closed();
    let appends = (0..3).map(|_| small(session(), 0)).collect();
    let durable: Durable = |_| Err(failure(ffi::SQLITE_FULL));
    let (answers, commits) = work_through(&fixture, durable, appends);
    assert_eq!(answers, vec![Err(StoreError::DiskFull); 3]);
    assert_eq!(commits, 0);
    assert_eq!(count(&fixture.raw(), "events"), 0);
}

#[test]
fn an_error_of_the_database_undoes_the_whole_commit_and_the_writer_goes_on() {
    let fixture = Fixture::new();
    let (one, other) = (session(), session());
    fixture.raw().execute_batch("DROP TABLE blobs").unwrap();
    let refused = fixture.append(Append { blobs: with_blob(one, 0, 10).blobs, ..small(one, 0) });
    assert!(matches!(refused, Err(StoreError::Sqlite { .. })), "{refused:?}");
    assert_eq!(fixture.append(small(other, 0)).unwrap().len(), 1);
    assert_eq!(count(&fixture.raw(), "events"), 1);
}

#[test]
fn a_full_disk_refuses_what_does_not_fit_and_the_writer_goes_on() {
    let fixture = Fixture::closed();
    let connection = open::writer(&fixture.path()).unwrap();
    connection.pragma_update(None, "max_page_count", 60).unwrap();
    let store = SqliteStore::start(&fixture.path(), connection, commit).unwrap();
    let session = session();
    let before = store.append(small(session, 0)).wait().unwrap();
    assert_eq!(store.append(with_blob(session, 1, 1 << 20)).wait(), Err(StoreError::DiskFull));
    assert_eq!(store.read(session, Seq(0)), Ok(before), "reads go on, and nothing of it is there");
    assert_eq!(store.append(small(session, 1)).wait().unwrap()[0].seq, Seq(2));
}

thread_local! {
    static ATTEMPTS: Cell<u32> = const { Cell::new(0) };
}

/// Fails to synchronise the first time, and would succeed afterwards.
fn fails_once(connection: &Connection) -> rusqlite::Result<()> {
    ATTEMPTS.set(ATTEMPTS.get() + 1);
    if ATTEMPTS.get() == 1 { Err(failure(ffi::SQLITE_IOERR_FSYNC)) } else { commit(connection) }
}

#[test]
fn after_a_failed_sync_nothing_is_tried_again() {
    let fixture = Fixture::closed();
    let connection = open::writer(&fixture.path()).unwrap();
    let store = SqliteStore::start(&fixture.path(), connection, fails_once).unwrap();
    let session = session();
    assert_eq!(store.append(small(session, 0)).wait(), Err(StoreError::SyncFailed));
    assert_eq!(store.append(small(session, 0)).wait(), Err(StoreError::SyncFailed));
    assert_eq!(store.read(session, Seq(0)), Ok(Vec::new()), "reads go on");
    assert_eq!(store.commits(), 0);
}

#[test]
fn waiting_pages_are_moved_into_the_database_while_it_is_open() {
    let fixture = Fixture::new();
    fixture.append(with_blob(session(), 0, 5 << 20)).unwrap();
    // The writer has moved the pages of one commit before it takes up the next.
    fixture.append(small(session(), 0)).unwrap();
    assert!(std::fs::metadata(fixture.path()).unwrap().len() > 5 << 20);
}

#[test]
fn nothing_is_written_once_the_database_has_lost_its_name_or_stands_for_another() {
    let replace: [fn(&Fixture); 2] = [
        |fixture| std::fs::rename(fixture.path(), fixture.path().with_extension("away")).unwrap(),
        |fixture| {
            let copy = fixture.path().with_extension("copy");
            std::fs::copy(fixture.path(), &copy).unwrap();
            std::fs::rename(copy, fixture.path()).unwrap();
        },
    ];
    for replace in replace {
        let fixture = Fixture::new();
        let session = session();
        let before = fixture.append(small(session, 0)).unwrap();
        assert_eq!(fixture.store().read(session, Seq(0)).as_ref(), Ok(&before));
        assert_eq!(fixture.store().damage(), None);
        replace(&fixture);
        let refused = fixture.append(small(session, 1));
        assert!(matches!(&refused, Err(StoreError::Corrupt { what }) if what.contains("replaced")), "{refused:?}");
        assert_eq!(fixture.store().damage(), refused.err());
        assert_eq!(fixture.store().read(session, Seq(0)), Ok(before), "what is open is read on");
    }
}

#[test]
fn a_log_that_ends_before_what_was_acknowledged_is_read_and_takes_no_change() {
    let mut fixture = Fixture::new();
    let session = session();
    fixture.append(small(session, 0)).unwrap();
    fixture.close();
    std::fs::copy(fixture.path(), fixture.path().with_extension("old")).unwrap();
    fixture.reopen();
    fixture.append(small(session, 1)).unwrap();
    fixture.close();
    std::fs::rename(fixture.path().with_extension("old"), fixture.path()).unwrap();
    fixture.reopen();
    assert_eq!(fixture.store().read(session, Seq(0)).unwrap().len(), 1);
    let refused = fixture.append(small(session, 1));
    assert!(matches!(&refused, Err(StoreError::Corrupt { what }) if what.contains("acknowledged")), "{refused:?}");
}
