//! The store on one SQLite file: WAL, `synchronous=FULL`.
//!
//! FULL and not NORMAL: NORMAL may lose acknowledged commits when the power is cut.

use super::reader::Readers;
use super::writer::{Job, Writer};
use super::{Append, Epoch, PendingAppend, Store, StoreError, schema};
use crate::private_file;
use goald_schema::event::{EventRecord, SessionOpened};
use goald_schema::id::{BlobHash, EventId, SessionId};
use goald_schema::number::{Position, Seq};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::{oneshot, watch};

/// The last SQLite that can corrupt a database when a WAL is reset.
const UNSAFE_UP_TO: i32 = 3_051_002;

/// The log in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    jobs: Option<Sender<Job>>,
    readers: Readers,
    position: watch::Receiver<Position>,
    commits: Arc<AtomicU64>,
    writer: Option<JoinHandle<()>>,
}

impl SqliteStore {
    /// Opens the file, making it where it is not there, mode 0600. Blocking.
    ///
    /// # Errors
    /// [`StoreError`]; a newer file is refused untouched.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if rusqlite::version_number() <= UNSAFE_UP_TO {
            return Err(StoreError::UnsafeSqlite { version: rusqlite::version().to_owned() });
        }
        let other = |error: std::io::Error| StoreError::Other(format!("{}: {error}", path.display()));
        drop(private_file::lockable(path).map_err(other)?);
        let mut connection = Connection::open(path)?;
        schema::refuse_newer(&connection)?;
        let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        if mode != "wal" {
            return Err(StoreError::Other(format!("{} cannot have a write-ahead log ({mode})", path.display())));
        }
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        schema::migrate(&mut connection)?;
        let newest: i64 =
            connection.query_row("SELECT coalesce(max(position), 0) FROM events", [], |row| row.get(0))?;
        let (position, seen) = watch::channel(Position(u64::try_from(newest).unwrap_or(0)));
        let (jobs, queue) = channel();
        let commits = Arc::new(AtomicU64::new(0));
        let writer = Writer { connection, jobs: queue, position, commits: Arc::clone(&commits) };
        let thread = std::thread::Builder::new().name("log-writer".to_owned()).spawn(move || writer.run());
        Ok(Self {
            jobs: Some(jobs),
            readers: Readers::new(path),
            position: seen,
            commits,
            writer: Some(thread.map_err(other)?),
        })
    }

    /// How many durable commits were made, for measuring how well appends share them.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

impl Store for SqliteStore {
    fn append(&self, append: Append) -> PendingAppend {
        let (answer, pending) = oneshot::channel();
        if let Some(jobs) = &self.jobs {
            // A writer that is gone drops the job, and with it the sender: the pending append says closed.
            drop(jobs.send(Job { append, answer }));
        }
        PendingAppend(pending)
    }

    fn read(&self, session: SessionId, after: Seq) -> Result<Vec<EventRecord>, StoreError> {
        self.readers.read(session, after)
    }

    fn tail(&self, after: Position, session: Option<SessionId>, limit: usize) -> Result<Vec<EventRecord>, StoreError> {
        self.readers.tail(after, session, limit)
    }

    fn blob(&self, hash: &BlobHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.readers.blob(hash)
    }

    fn event(&self, id: EventId) -> Result<Option<EventRecord>, StoreError> {
        self.readers.event(id)
    }

    fn sessions(&self) -> Result<Vec<(SessionId, SessionOpened)>, StoreError> {
        self.readers.sessions()
    }

    fn open_attempts(&self) -> Result<Vec<SessionId>, StoreError> {
        self.readers.open_attempts()
    }

    fn position(&self) -> watch::Receiver<Position> {
        self.position.clone()
    }

    fn claim(&self, _: SessionId) -> Result<Epoch, StoreError> {
        Ok(Epoch(1))
    }

    fn renew(&self, _: SessionId, _: Epoch) -> Result<(), StoreError> {
        Ok(())
    }

    fn release(&self, _: SessionId, _: Epoch) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // The writer ends when the queue is empty and nobody can add to it.
        self.jobs = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the log's writer had crashed");
        }
    }
}
