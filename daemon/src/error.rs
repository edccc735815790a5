//! Why a daemon does not start or go on.

use crate::store::StoreError;
use goald_schema::actor::OtherWhy;
use goald_schema::{ErrorCode, WireError};
use std::path::{Path, PathBuf};

/// Why a daemon does not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// Another one has the state folder.
    #[error("a daemon runs already (pid {pid})")]
    Running {
        /// Its process, for people.
        pid: String,
    },
    /// It was started by an agent or a check.
    #[error("a daemon is never started from inside an agent: {}", .0.words())]
    InsideAgent(OtherWhy),
    /// A folder or file of the state folder cannot be used.
    #[error("{path} cannot be used: {message}")]
    Folder {
        /// Which.
        path: PathBuf,
        /// The system's words.
        message: String,
        /// What kind of error that is.
        code: ErrorCode,
    },
    /// The socket cannot be bound.
    #[error("the socket {path} cannot be bound: {message}")]
    Socket {
        /// Which.
        path: PathBuf,
        /// The system's words.
        message: String,
    },
    /// The log cannot be used.
    #[error("the log cannot be used: {0}")]
    Store(#[from] StoreError),
    /// The configuration cannot be used.
    #[error("{0}")]
    Config(WireError),
    /// The runtime could not be had.
    #[error("the runtime cannot be started: {0}")]
    Runtime(std::io::Error),
}

impl DaemonError {
    pub(crate) fn folder(path: &Path, error: &std::io::Error) -> Self {
        let code = WireError::from(StoreError::io(path, error)).code;
        Self::Folder { path: path.to_owned(), message: error.to_string(), code }
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Store(error) => WireError::from(error.clone()).code,
            Self::Folder { code, .. } => *code,
            Self::Config(error) => error.code,
            Self::Running { .. } | Self::Socket { .. } | Self::InsideAgent(_) => ErrorCode::Unreachable,
            Self::Runtime(_) => ErrorCode::Internal,
        }
    }
}

impl From<&DaemonError> for WireError {
    fn from(error: &DaemonError) -> Self {
        match error {
            DaemonError::Store(error) => error.clone().into(),
            DaemonError::Config(error) => error.clone(),
            DaemonError::Folder { code: ErrorCode::StoreReadOnly, .. } => {
                Self::new(error.code(), error.to_string()).hint("make the state folder writable, then try again")
            }
            _ => Self::new(error.code(), error.to_string()).hint("goal daemon logs"),
        }
    }
}

impl From<StoreError> for WireError {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::DiskFull => Self::new(ErrorCode::DiskFull, message).hint("make room, then try again"),
            StoreError::Damaged { .. } => Self::new(ErrorCode::LogDamaged, message)
                .hint("this session is not used, others go on; goal doctor explains"),
            StoreError::Corrupt { .. } => {
                Self::new(ErrorCode::StoreDamaged, message).hint("nothing is changed any more; goal doctor explains")
            }
            StoreError::ReadOnly { .. } => {
                Self::new(ErrorCode::StoreReadOnly, message).hint("make the state folder writable, then try again")
            }
            StoreError::Newer { .. } => Self::new(ErrorCode::NewerStore, message).hint("use the newer goal"),
            _ => Self::new(ErrorCode::StoreFailed, message).hint("see goal daemon logs"),
        }
    }
}
