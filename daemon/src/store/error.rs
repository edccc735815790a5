//! Why the log could not be written or read.

use goald_schema::id::SessionId;
use goald_schema::number::{Position, Seq};

/// Why the log could not be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Somebody else appended meanwhile.
    #[error("the session is at event {actual}, not {expected}")]
    Conflict {
        /// What whoever appended knew of.
        expected: Seq,
        /// What is there.
        actual: Seq,
    },
    /// There is no room.
    #[error("the disk is full")]
    DiskFull,
    /// A session's log breaks a rule.
    #[error("the log of session {session} is damaged{}: {what}", place(*position))]
    Damaged {
        /// Whose.
        session: SessionId,
        /// Where.
        position: Option<Position>,
        /// Which rule.
        what: String,
    },
    /// A newer goald wrote it.
    #[error("the log has format {found}; this goald knows formats up to {known}")]
    Newer {
        /// Its version.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// A commit could not be made durable; nothing more is written.
    #[error("the log could not be made durable: {0}")]
    SyncFailed(String),
    /// The SQLite that was built in is one that can corrupt a log.
    #[error("SQLite {version} can corrupt a write-ahead log; 3.51.3 or newer is needed")]
    UnsafeSqlite {
        /// Its version.
        version: String,
    },
    /// SQLite's or the system's words.
    #[error("the log cannot be used: {0}")]
    Other(String),
    /// The store is closed.
    #[error("the log is closed")]
    Closed,
}

fn place(position: Option<Position>) -> String {
    position.map_or_else(String::new, |position| format!(" at position {position}"))
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Self::DiskFull,
            _ => Self::Other(error.to_string()),
        }
    }
}
