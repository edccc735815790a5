//! The store of one machine: one `SQLite` database.

use super::anchor::Anchor;
use super::append::{Append, PendingAppend};
use super::commit::{self, Committer, Durable, Progress};
use super::error::StoreError;
use super::health::Health;
use super::reader::Readers;
use super::sessions::Listed;
use super::writer::Writer;
use super::{Each, Epoch, Purge, Purged, Store, blob, insert, open, purge, replay, sessions, tail};
use goald_schema::event::EventRecord;
use goald_schema::id::{BlobHash, EventId, SessionId};
use goald_schema::number::{Position, Seq};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The log in a `SQLite` database. Dropping it waits for the appends that are queued.
#[derive(Debug)]
pub struct SqliteStore {
    // Before the writer, so that they are closed before it: the last connection tidies up, and only it can.
    readers: Readers,
    writer: Writer,
    position: watch::Receiver<Position>,
    commits: Arc<AtomicU64>,
    health: Health,
}

impl SqliteStore {
    /// Opens the database at `path`; creates it with mode 0600, or raises its format, as needed. Its folder must
    /// exist. Whoever opens it must be the only one to do so. One that is structurally damaged is opened as it is, for
    /// reading what can be read: it refuses every append.
    ///
    /// # Errors
    /// [`StoreError::Newer`] for a database of a newer goald, which is left untouched; [`StoreError::UnsafeSqlite`];
    /// [`StoreError::ReadOnly`]; whatever else keeps it from being opened.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        match open::writer(path) {
            Ok(connection) => Self::start(path, connection, commit::commit),
            Err(error @ StoreError::Corrupt { .. }) => Ok(Self::refusing(path, error)),
            Err(error) => Err(error),
        }
    }

    /// A store that writes nothing.
    fn refusing(path: &Path, damage: StoreError) -> Self {
        let health = Health::of(path);
        health.note(&damage);
        let readers = Readers::new(path.to_owned(), health.clone());
        let newest = readers.snapshot(open::newest).unwrap_or(Position(0));
        let (_, position) = watch::channel(newest);
        Self { readers, writer: Writer::refusing(damage), position, commits: Arc::default(), health }
    }

    /// Puts readers and writer around an open connection.
    pub(super) fn start(path: &Path, connection: Connection, durable: Durable) -> Result<Self, StoreError> {
        let (sender, position) = watch::channel(open::newest(&connection)?);
        let commits = Arc::new(AtomicU64::new(0));
        let health = Health::of(path);
        let progress = Progress { position: sender, commits: Arc::clone(&commits), anchor: Anchor::open(path) };
        let committer = Committer::new(connection, durable, progress, health.clone());
        let writer = Writer::start(committer).map_err(|error| StoreError::io(path, &error))?;
        Ok(Self { readers: Readers::new(path.to_owned(), health.clone()), writer, position, commits, health })
    }

    /// How many durable commits there were since opening: fewer than appends, where those came together.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

impl Store for SqliteStore {
    fn append(&self, append: Append) -> PendingAppend {
        self.writer.append(append)
    }

    fn replay(&self, session: SessionId, after: Seq, each: &mut Each<'_>) -> Result<(), StoreError> {
        self.readers.snapshot(|connection| replay::read(connection, session, after, each))
    }

    fn tail(&self, after: Position, session: Option<SessionId>, limit: usize) -> Result<Vec<EventRecord>, StoreError> {
        self.readers.snapshot(|connection| tail::read(connection, after, session, limit))
    }

    fn blob(&self, hash: &BlobHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.readers.snapshot(|connection| blob::read(connection, hash))
    }

    fn purgeable(&self, purge: &Purge) -> Result<Purged, StoreError> {
        purge::plan(&self.readers, purge)
    }

    fn purge(&self, purge: Purge) -> Result<Purged, StoreError> {
        purge::run(&self.readers, &self.writer, purge)
    }

    fn event(&self, id: EventId) -> Result<Option<EventRecord>, StoreError> {
        self.readers.snapshot(|connection| insert::find(connection, id))
    }

    fn sessions(&self) -> Result<Vec<(SessionId, Listed)>, StoreError> {
        self.readers.snapshot(sessions::listed)
    }

    fn damage(&self) -> Option<StoreError> {
        self.health.damage().cloned()
    }

    fn damaged(&self) -> CancellationToken {
        self.health.seen()
    }

    fn open_attempts(&self) -> Result<Vec<SessionId>, StoreError> {
        self.readers.snapshot(sessions::with_open_attempt)
    }

    fn position(&self) -> watch::Receiver<Position> {
        self.position.clone()
    }

    /// One daemon has the whole database: every lease is its own, for ever.
    fn claim(&self, _session: SessionId) -> Result<Epoch, StoreError> {
        Ok(Epoch(1))
    }

    fn renew(&self, _session: SessionId, _epoch: Epoch) -> Result<(), StoreError> {
        Ok(())
    }

    fn release(&self, _session: SessionId, _epoch: Epoch) -> Result<(), StoreError> {
        Ok(())
    }
}
