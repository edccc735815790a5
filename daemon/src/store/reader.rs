//! Reading: a small pool of read-only connections. Readers never wait for the writer, nor it for them.

use super::StoreError;
use super::chain::{START, link};
use super::row::{COLUMNS, Stored};
use goald_schema::event::{Event, EventRecord, SessionOpened};
use goald_schema::id::{BlobHash, EventId, SessionId};
use goald_schema::number::{Position, Seq};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use uuid::Uuid;

/// Connections beyond this many are closed after use.
const KEPT: usize = 4;

/// Read-only connections.
#[derive(Debug)]
pub struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let result = read(&connection);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(connection);
        }
        result
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    }

    /// A session's events after `after`; the chain is checked from the first event on.
    pub fn read(&self, session: SessionId, after: Seq) -> Result<Vec<EventRecord>, StoreError> {
        self.with(|connection| {
            let damaged = |position: Option<i64>, what: String| StoreError::Damaged {
                session,
                position: position.and_then(|position| u64::try_from(position).ok()).map(Position),
                what,
            };
            let uuid = session.as_uuid();
            // One read transaction: the head row and the events are of the same moment.
            let transaction = connection.unchecked_transaction()?;
            let head: Option<(i64, [u8; 32])> = transaction
                .prepare_cached("SELECT seq, hash FROM heads WHERE session = ?1")?
                .query_row([uuid.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let query = format!("SELECT {COLUMNS} FROM events WHERE session = ?1 ORDER BY seq");
            let mut statement = transaction.prepare_cached(&query)?;
            let mut rows = statement.query([uuid.as_bytes()])?;
            let (mut before, mut last, mut last_position) = (START, 0_i64, 0_i64);
            let mut records = Vec::new();
            while let Some(row) = rows.next()? {
                let stored = Stored::read(row)?;
                let position = Some(stored.position);
                if stored.seq != last.saturating_add(1) {
                    return Err(damaged(position, format!("event {} follows on event {last}", stored.seq)));
                }
                if stored.position <= last_position {
                    return Err(damaged(position, "positions do not increase".to_owned()));
                }
                if link(&before, &stored.columns()) != stored.hash {
                    return Err(damaged(position, format!("the hash of event {} does not fit", stored.seq)));
                }
                (before, last, last_position) = (stored.hash, stored.seq, stored.position);
                if u64::try_from(stored.seq).is_ok_and(|seq| seq > after.get()) {
                    records.push(stored.decode()?);
                }
            }
            match head {
                Some((seq, hash)) if seq == last && hash == before => Ok(records),
                None if last == 0 => Ok(records),
                Some((seq, _)) => {
                    Err(damaged(None, format!("the head says event {seq}, the last one there is {last}")))
                }
                None => Err(damaged(None, format!("there are {last} events but no head"))),
            }
        })
    }

    /// Events after a position.
    pub fn tail(
        &self,
        after: Position,
        session: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<EventRecord>, StoreError> {
        let after = i64::try_from(after.get()).unwrap_or(i64::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.with(|connection| {
            let stored: Vec<Stored> = match session {
                None => {
                    let query = format!("SELECT {COLUMNS} FROM events WHERE position > ?1 ORDER BY position LIMIT ?2");
                    let mut statement = connection.prepare_cached(&query)?;
                    statement.query_map(params![after, limit], Stored::read)?.collect::<Result<_, _>>()?
                }
                Some(session) => {
                    let query = format!(
                        "SELECT {COLUMNS} FROM events WHERE session = ?1 AND position > ?2 ORDER BY position LIMIT ?3"
                    );
                    let mut statement = connection.prepare_cached(&query)?;
                    let uuid = session.as_uuid();
                    statement
                        .query_map(params![uuid.as_bytes(), after, limit], Stored::read)?
                        .collect::<Result<_, _>>()?
                }
            };
            stored.into_iter().map(Stored::decode).collect()
        })
    }

    /// A blob.
    pub fn blob(&self, hash: &BlobHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached("SELECT bytes FROM blobs WHERE hash = ?1")?;
            Ok(statement.query_row([hash.as_str()], |row| row.get(0)).optional()?)
        })
    }

    /// An event by id.
    pub fn event(&self, id: EventId) -> Result<Option<EventRecord>, StoreError> {
        self.with(|connection| {
            let query = format!("SELECT {COLUMNS} FROM events WHERE id = ?1");
            let mut statement = connection.prepare_cached(&query)?;
            let uuid = id.as_uuid();
            statement.query_row([uuid.as_bytes()], Stored::read).optional()?.map(Stored::decode).transpose()
        })
    }

    /// Every session that was opened.
    pub fn sessions(&self) -> Result<Vec<(SessionId, SessionOpened)>, StoreError> {
        self.with(|connection| {
            let query = format!("SELECT {COLUMNS} FROM events WHERE type = 'session/opened' ORDER BY position");
            let mut statement = connection.prepare_cached(&query)?;
            let stored: Vec<Stored> = statement.query_map([], Stored::read)?.collect::<Result<_, _>>()?;
            let mut sessions = Vec::new();
            for stored in stored {
                let record = stored.decode()?;
                if let Event::SessionOpened(opened) = record.event {
                    sessions.push((record.session, opened));
                }
            }
            Ok(sessions)
        })
    }

    /// Sessions with an open attempt.
    pub fn open_attempts(&self) -> Result<Vec<SessionId>, StoreError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached("SELECT session FROM heads WHERE open_attempt = 1")?;
            let ids: Vec<[u8; 16]> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(ids.into_iter().map(|id| SessionId::from_uuid(Uuid::from_bytes(id))).collect())
        })
    }
}
