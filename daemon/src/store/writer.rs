//! The one writer: a thread that puts the appends of all sessions that wait into one durable commit.

use super::chain::{Columns, Hash, START, link};
use super::row::{COLUMNS, Stored};
use super::{Append, StoreError};
use goald_schema::event::{EVENT_VERSION, Event, EventData, EventRecord};
use goald_schema::id::SessionId;
use goald_schema::number::{Position, Seq};
use rusqlite::{Connection, OptionalExtension, Savepoint, TransactionBehavior, params};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use tokio::sync::{oneshot, watch};

/// At most this many appends share a commit, so that the first of them does not wait without bound.
const BATCH: usize = 256;

/// An append with where its answer goes.
pub struct Job {
    pub append: Append,
    pub answer: oneshot::Sender<Result<Vec<EventRecord>, StoreError>>,
}

/// The thread's own things.
pub struct Writer {
    pub connection: Connection,
    pub jobs: Receiver<Job>,
    pub position: watch::Sender<Position>,
    pub commits: Arc<AtomicU64>,
}

impl Writer {
    /// Works until every sender is gone and the queue is empty.
    pub fn run(mut self) {
        let mut failed: Option<StoreError> = None;
        while let Ok(first) = self.jobs.recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH {
                let Ok(job) = self.jobs.try_recv() else { break };
                batch.push(job);
            }
            if let Some(error) = &failed {
                for job in batch {
                    drop(job.answer.send(Err(error.clone())));
                }
                continue;
            }
            let error = self.commit(batch);
            if let Some(error @ StoreError::SyncFailed(_)) = error {
                tracing::error!(%error, "nothing more is written");
                failed = Some(error);
            }
        }
        if let Err(error) = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::warn!(%error, "the log could not be checkpointed at the end");
        }
    }

    /// One durable commit for a batch; everybody is answered after it.
    fn commit(&mut self, batch: Vec<Job>) -> Option<StoreError> {
        let mut answers = Vec::with_capacity(batch.len());
        let outcome = write(&mut self.connection, &batch, &mut answers);
        match outcome {
            Ok(()) => {
                self.commits.fetch_add(1, Ordering::Relaxed);
                let newest = answers.iter().flatten().flatten().map(|record| record.position).max();
                if let Some(newest) = newest {
                    self.position.send_if_modified(|position| {
                        let newer = newest > *position;
                        *position = newest.max(*position);
                        newer
                    });
                }
                for (job, answer) in batch.into_iter().zip(answers) {
                    // Whoever asked may be gone; the append stands.
                    drop(job.answer.send(answer));
                }
                None
            }
            Err(error) => {
                for job in batch {
                    drop(job.answer.send(Err(error.clone())));
                }
                Some(error)
            }
        }
    }
}

type Answers = Vec<Result<Vec<EventRecord>, StoreError>>;

fn write(connection: &mut Connection, batch: &[Job], answers: &mut Answers) -> Result<(), StoreError> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in batch {
        // A savepoint each: one append's conflict leaves the others whole.
        let savepoint = transaction.savepoint()?;
        match append(&savepoint, &job.append) {
            Ok(records) => {
                savepoint.commit()?;
                answers.push(Ok(records));
            }
            Err(StoreError::DiskFull) => return Err(StoreError::DiskFull),
            Err(error) => {
                drop(savepoint);
                answers.push(Err(error));
            }
        }
    }
    transaction.commit().map_err(|error| match StoreError::from(error) {
        StoreError::DiskFull => StoreError::DiskFull,
        // Never retried as if nothing had happened: after a failed sync nobody knows what is on the disk.
        other => StoreError::SyncFailed(other.to_string()),
    })
}

fn append(savepoint: &Savepoint<'_>, append: &Append) -> Result<Vec<EventRecord>, StoreError> {
    let uuid = append.session.as_uuid();
    let head: Option<(i64, Hash, bool)> = savepoint
        .prepare_cached("SELECT seq, hash, open_attempt FROM heads WHERE session = ?1")?
        .query_row([uuid.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let (mut seq, mut hash, mut open) = head.unwrap_or((0, START, false));
    let expected = i64::try_from(append.expected.get()).unwrap_or(i64::MAX);
    if seq != expected {
        return repeated(savepoint, append, expected).unwrap_or_else(|| {
            let actual = Seq(u64::try_from(seq).unwrap_or(0));
            Err(StoreError::Conflict { expected: append.expected, actual })
        });
    }
    for blob in &append.blobs {
        savepoint
            .prepare_cached("INSERT INTO blobs (hash, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![blob.hash.as_str(), blob.bytes])?;
    }
    let mut records = Vec::with_capacity(append.events.len());
    for event in &append.events {
        seq = seq.saturating_add(1);
        let record = insert(savepoint, append.session, seq, &mut hash, event)?;
        match &event.event {
            Event::AttemptStarted(_) => open = true,
            Event::AttemptEnded(_) => open = false,
            _ => {}
        }
        records.push(record);
    }
    savepoint
        .prepare_cached(
            "INSERT INTO heads (session, seq, hash, open_attempt) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session) DO UPDATE SET seq = ?2, hash = ?3, open_attempt = ?4",
        )?
        .execute(params![uuid.as_bytes(), seq, hash, open])?;
    Ok(records)
}

fn insert(
    savepoint: &Savepoint<'_>,
    session: SessionId,
    seq: i64,
    hash: &mut Hash,
    event: &EventData,
) -> Result<EventRecord, StoreError> {
    let unwritable = |error: serde_json::Error| StoreError::Other(format!("an event cannot be written: {error}"));
    let data = event.event.encode().map_err(unwritable)?;
    let actor = serde_json::to_string(&event.actor).map_err(unwritable)?;
    let via = serde_json::to_value(event.via).map_err(unwritable)?;
    let via = via.as_str().unwrap_or_default();
    let (id, of) = (event.id.as_uuid(), session.as_uuid());
    let columns = Columns {
        id: id.as_bytes(),
        session: of.as_bytes(),
        seq,
        at: event.at.millis(),
        actor: &actor,
        via,
        kind: event.event.kind(),
        version: i64::from(EVENT_VERSION),
        data: &data,
    };
    *hash = link(hash, &columns);
    let position: i64 = savepoint
        .prepare_cached(
            "INSERT INTO events (id, session, seq, at, actor, via, type, version, data, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING position",
        )?
        .query_row(
            params![
                columns.id,
                columns.session,
                columns.seq,
                columns.at,
                columns.actor,
                columns.via,
                columns.kind,
                columns.version,
                columns.data,
                *hash
            ],
            |row| row.get(0),
        )?;
    Ok(EventRecord {
        position: Position(u64::try_from(position).unwrap_or(0)),
        id: event.id,
        session,
        seq: Seq(u64::try_from(seq).unwrap_or(0)),
        at: event.at,
        actor: event.actor.clone(),
        via: event.via,
        event: event.event.clone(),
        version: EVENT_VERSION,
        hash: blake3::Hash::from_bytes(*hash).to_hex().to_string(),
    })
}

/// An append whose events are already there, exactly where it wants them, was answered before and the answer was lost.
fn repeated(savepoint: &Savepoint<'_>, append: &Append, expected: i64) -> Option<Result<Vec<EventRecord>, StoreError>> {
    let uuid = append.session.as_uuid();
    let read = || -> Result<Vec<Stored>, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM events WHERE session = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3");
        let count = i64::try_from(append.events.len()).unwrap_or(i64::MAX);
        let mut statement = savepoint.prepare_cached(&query)?;
        Ok(statement.query_map(params![uuid.as_bytes(), expected, count], Stored::read)?.collect::<Result<_, _>>()?)
    };
    let stored = match read() {
        Ok(stored) => stored,
        Err(error) => return Some(Err(error)),
    };
    let records: Result<Vec<EventRecord>, StoreError> = stored.into_iter().map(Stored::decode).collect();
    match records {
        Ok(records) => {
            let same = records.len() == append.events.len()
                && records.iter().zip(&append.events).all(|(stored, event)| stored.id == event.id);
            same.then_some(Ok(records))
        }
        Err(error) => Some(Err(error)),
    }
}
