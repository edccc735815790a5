//! Looking at a database without changing a byte of it: for `goal doctor`.
//!
//! Beside a running daemon it is read as any reader does. Without one, opening it as usual would create files beside it and
//! move pages: it is opened as something that nobody changes, or, where a write-ahead log has to be taken into account,
//! copied to a temporary folder and read there.

use super::error::StoreError;
use super::open::newest;
use super::row::session_from;
use super::sessions::{self, Listed};
use super::{Each, anchor, blob, migrations, open, recovered, replay, structure};
use goald_schema::id::{BlobHash, SessionId};
use goald_schema::number::{Position, Seq};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// At most so many gaps, and so many complaints of `SQLite`, are told one by one.
pub const TOLD: usize = 20;

/// Whether anybody may be writing while the database is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// A daemon has it open.
    Daemon,
    /// Nobody has.
    Nobody,
}

/// An opened database, as it was at one moment.
#[derive(Debug)]
pub struct Inspection {
    connection: Connection,
    acknowledged: Option<Position>,
    // After the connection, so that it is closed when the files go.
    _copy: Option<TempDir>,
}

/// Positions that no event has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// The first of them.
    pub first: Position,
    /// The last of them.
    pub last: Position,
}

/// Which texts there are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Blobs {
    /// Those whose bytes have their name.
    pub sound: HashSet<BlobHash>,
    /// Those whose bytes do not.
    pub damaged: HashSet<BlobHash>,
    /// Those that have no name at all.
    pub nameless: u64,
}

impl Inspection {
    /// Opens the database of this path; `temporary` is where a copy may be put.
    ///
    /// # Errors
    /// [`StoreError::Newer`]; [`StoreError::Corrupt`] for what is no database; what keeps it from being read or copied.
    pub fn open(database: &Path, beside: Beside, temporary: &Path) -> Result<Self, StoreError> {
        // Before the snapshot: what is acknowledged afterwards may be missing in it.
        let acknowledged = anchor::read(database)?;
        let (connection, copy) = match beside {
            Beside::Daemon => (open::reader(database)?, None),
            Beside::Nobody if !has_log(database)? => (immutable(database)?, None),
            Beside::Nobody => {
                let (copy, folder) = copied(database, temporary)?;
                (open::reader(&copy)?, Some(folder))
            }
        };
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.execute_batch("BEGIN")?;
        migrations::format(&connection)?;
        Ok(Self { connection, acknowledged, _copy: copy })
    }

    /// Its format, and the newest that is known.
    ///
    /// # Errors
    /// Those of the database.
    pub fn format(&self) -> Result<(i64, i64), StoreError> {
        let found = migrations::format(&self.connection)?;
        Ok((migrations::number(found), migrations::number(migrations::known())))
    }

    /// Whether tables, indexes and triggers are goald's.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`], with the first that is not.
    pub fn structure(&self) -> Result<(), StoreError> {
        structure::check(&self.connection)
    }

    /// What `SQLite` has to say against pages, rows and indexes; nothing where all is well. Reads the whole database.
    ///
    /// # Errors
    /// Those of the database.
    pub fn pages(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare(&format!("PRAGMA integrity_check({TOLD})"))?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        let mut said: Vec<String> = rows.collect::<Result<_, _>>()?;
        said.retain(|line| line != "ok");
        Ok(said)
    }

    /// The newest position, 0 for none, and the newest that was ever acknowledged, as far as it was noted.
    ///
    /// # Errors
    /// Those of the database.
    pub fn ends(&self) -> Result<(Position, Option<Position>), StoreError> {
        Ok((newest(&self.connection)?, self.acknowledged))
    }

    /// The newest position that was ever given, as the database itself counts.
    ///
    /// # Errors
    /// Those of the database.
    pub fn counted(&self) -> Result<Position, StoreError> {
        let counted: i64 = self.connection.query_row(
            "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'",
            [],
            |row| row.get(0),
        )?;
        position(counted)
    }

    /// Up to where a recovery has told what is missing; 0 where this is no recovered log.
    ///
    /// # Errors
    /// Those of the database.
    pub fn recovered(&self) -> Result<Position, StoreError> {
        recovered::marked(&self.connection)
    }

    /// How many events there are.
    ///
    /// # Errors
    /// Those of the database.
    pub fn events(&self) -> Result<u64, StoreError> {
        let count: i64 = self.connection.query_row("SELECT count(*) FROM events NOT INDEXED", [], |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Positions that are missing between others. What was rolled back leaves none: the counter is rolled back with it.
    ///
    /// # Errors
    /// Those of the database.
    pub fn gaps(&self) -> Result<Vec<Gap>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT before, position FROM
                 (SELECT position, lag(position, 1, 0) OVER (ORDER BY position) AS before FROM events)
             WHERE position - before > 1 LIMIT ?1",
        )?;
        let mut rows = statement.query([i64::try_from(TOLD).unwrap_or(i64::MAX)])?;
        let mut gaps = Vec::new();
        while let Some(row) = rows.next()? {
            let (before, after): (i64, i64) = (row.get(0)?, row.get(1)?);
            let (first, last) = (position(before.saturating_add(1))?, position(after.saturating_sub(1))?);
            gaps.push(Gap { first, last });
        }
        Ok(gaps)
    }

    /// Every session that a head row or an event names.
    ///
    /// # Errors
    /// Those of the database.
    pub fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT session FROM heads UNION SELECT session FROM events ORDER BY session")?;
        let mut rows = statement.query([])?;
        let mut sessions = Vec::new();
        while let Some(row) = rows.next()? {
            let bytes: Vec<u8> = row.get(0)?;
            sessions.push(session_from(&bytes)?);
        }
        Ok(sessions)
    }

    /// The sessions of which the database says that an attempt is open.
    ///
    /// # Errors
    /// Those of the database.
    pub fn open_attempts(&self) -> Result<Vec<SessionId>, StoreError> {
        sessions::with_open_attempt(&self.connection)
    }

    /// How sessions were opened, as far as can be told.
    ///
    /// # Errors
    /// Those of the database.
    pub fn listed(&self) -> Result<Vec<(SessionId, Listed)>, StoreError> {
        sessions::listed(&self.connection)
    }

    /// The events of a session, verified as by [`super::Store::replay`].
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with the place; those of `each`.
    pub fn replay(&self, session: SessionId, each: &mut Each<'_>) -> Result<(), StoreError> {
        replay::read(&self.connection, session, Seq(0), each)
    }

    /// Reads every stored text and compares it with its name.
    ///
    /// # Errors
    /// Those of the database.
    pub fn blobs(&self) -> Result<Blobs, StoreError> {
        let mut statement = self.connection.prepare("SELECT hash, bytes FROM blobs")?;
        let mut rows = statement.query([])?;
        let mut blobs = Blobs::default();
        while let Some(row) = rows.next()? {
            let name = row.get_ref(0)?.as_str().ok().and_then(|name| BlobHash::try_from(name.to_owned()).ok());
            let hash = row.get_ref(1)?.as_bytes().ok().map(blob::name);
            match (name, hash) {
                (None, _) => blobs.nameless += 1,
                (Some(name), Some(hash)) if name == hash => drop(blobs.sound.insert(name)),
                (Some(name), _) => drop(blobs.damaged.insert(name)),
            }
        }
        Ok(blobs)
    }
}

/// Whether there is anything in the write-ahead log.
fn has_log(database: &Path) -> Result<bool, StoreError> {
    let path = beside(database, "-wal");
    match std::fs::metadata(&path) {
        Ok(metadata) => Ok(metadata.len() > 0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(StoreError::io(&path, &error)),
    }
}

fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Copies database and write-ahead log; the copies are the caller's own and go with the folder.
fn copied(database: &Path, temporary: &Path) -> Result<(PathBuf, TempDir), StoreError> {
    let folder = tempfile::Builder::new()
        .prefix("goald-doctor-")
        .tempdir_in(temporary)
        .map_err(|error| StoreError::io(temporary, &error))?;
    let copy = folder.path().join("goald.db");
    for suffix in ["", "-wal"] {
        let from = beside(database, suffix);
        std::fs::copy(&from, beside(&copy, suffix)).map_err(|error| StoreError::io(&from, &error))?;
    }
    Ok((copy, folder))
}

/// Opens it as a file that nobody changes: without locks and without files beside it.
fn immutable(database: &Path) -> Result<Connection, StoreError> {
    let mut uri = "file:".to_owned();
    for byte in database.as_os_str().as_bytes() {
        // Writing to a String cannot fail.
        let _ = match byte {
            b'/' | b'.' | b'-' | b'_' => write!(uri, "{}", char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => write!(uri, "{}", char::from(*byte)),
            byte => write!(uri, "%{byte:02X}"),
        };
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    open::prepared(&connection)?;
    Ok(connection)
}

fn position(number: i64) -> Result<Position, StoreError> {
    let corrupt = |_| StoreError::Corrupt { what: format!("{number} stands where a position should") };
    u64::try_from(number).map(Position).map_err(corrupt)
}
