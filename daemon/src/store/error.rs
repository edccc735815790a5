//! What can go wrong in the store, as few kinds as callers act on differently.

use goald_schema::id::{BlobHash, EventId, SessionId};
use goald_schema::number::{Position, Seq};
use rusqlite::ErrorCode;
use std::path::Path;

/// Why the store did not do what it was asked to.
///
/// It can be cloned, because one failed commit is answered to every append that was part of it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StoreError {
    /// The session has other events than the caller knows; nothing was written.
    #[error("the session is at event {actual}, not at {expected}")]
    Conflict {
        /// The last event that the caller knew.
        expected: Seq,
        /// The last event that is there.
        actual: Seq,
    },
    /// The append uses an event id that is already another event's; nothing was written.
    #[error("event id {id} is already used by another append")]
    Reused {
        /// The id.
        id: EventId,
    },
    /// There is no room; nothing was written. The next append is tried anew.
    #[error("no space left for the log")]
    DiskFull,
    /// What is stored for one session is not what was written, or cannot be understood. Others are not concerned.
    #[error("the log of session {session} is damaged{}: {what}", at(*position))]
    Damaged {
        /// The session.
        session: SessionId,
        /// Where, if it is one place.
        position: Option<Position>,
        /// What does not fit.
        what: String,
    },
    /// A blob's bytes do not fit its name.
    #[error("blob {hash} is damaged: its bytes do not have that hash")]
    BlobDamaged {
        /// Its name.
        hash: BlobHash,
    },
    /// The database as a whole cannot be trusted.
    #[error("the database is damaged: {what}")]
    Corrupt {
        /// What `SQLite` or the decoder says.
        what: String,
    },
    /// The database was written by a newer goald; it was left as it is.
    #[error("the database has format {found}; this goald knows formats up to {known}")]
    Newer {
        /// The format of the database.
        found: i64,
        /// The newest format that this goald knows.
        known: i64,
    },
    /// The database, its folder or its file system can only be read; nothing was written.
    #[error("the log can only be read: {message}")]
    ReadOnly {
        /// The system's message.
        message: String,
    },
    /// Any other error of `SQLite`; nothing was written.
    #[error("SQLite: {message} (code {code})")]
    Sqlite {
        /// The extended result code, 0 for an error of the binding.
        code: i32,
        /// Its message.
        message: String,
    },
    /// A file could not be created or opened.
    #[error("{path}: {message}")]
    Io {
        /// Which.
        path: String,
        /// The system's message.
        message: String,
    },
    /// A commit or its synchronisation with the disk failed: whether it is durable is unknown, and nothing is written
    /// after it until the database has been opened anew.
    #[error("the log could not be synchronised with the disk; nothing more is written to it")]
    SyncFailed,
    /// The linked `SQLite` can corrupt a database on a WAL reset.
    #[error("SQLite {version} can damage a database; goald needs one newer than 3.51.2")]
    UnsafeSqlite {
        /// The version that is linked.
        version: String,
    },
    /// An event cannot be written as JSON.
    #[error("event {id} cannot be encoded: {what}")]
    Encode {
        /// The event.
        id: EventId,
        /// Why.
        what: String,
    },
    /// The writer has ended; the append was not made.
    #[error("the store is closed")]
    Closed,
}

fn at(position: Option<Position>) -> String {
    position.map_or_else(String::new, |position| format!(" at position {position}"))
}

impl StoreError {
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        if matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded) {
            return Self::DiskFull;
        }
        if matches!(error.kind(), std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied) {
            return Self::ReadOnly { message: format!("{}: {error}", path.display()) };
        }
        Self::Io { path: path.display().to_string(), message: error.to_string() }
    }

    /// Whether a file or folder could not be synchronised. A write that failed before (a quota, say) is no such thing:
    /// nothing of it counts, and it may be tried again.
    pub(super) fn is_failed_sync(&self) -> bool {
        use rusqlite::ffi::{SQLITE_IOERR_DIR_FSYNC, SQLITE_IOERR_FSYNC};
        matches!(self, Self::Sqlite { code: SQLITE_IOERR_FSYNC | SQLITE_IOERR_DIR_FSYNC, .. })
    }

    pub(super) fn damaged(session: SessionId, position: Option<Position>, what: impl Into<String>) -> Self {
        Self::Damaged { session, position, what: what.into() }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let message = error.to_string();
        match error.sqlite_error() {
            Some(failure) => match failure.code {
                ErrorCode::DiskFull => Self::DiskFull,
                // The index of the write-ahead log could not grow, and it does nothing else there.
                _ if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE => Self::DiskFull,
                ErrorCode::ReadOnly => Self::ReadOnly { message },
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt { what: message },
                _ => Self::Sqlite { code: failure.extended_code, message },
            },
            None => Self::Sqlite { code: 0, message },
        }
    }
}
