//! What can go wrong before a guard holds anything.

use std::io;
use std::path::PathBuf;

/// A guard that did not come up. Nothing was started, and nothing of it is left.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The program to be the guard could not be started.
    #[error("cannot start the guard {program}: {source}", program = program.display())]
    Start {
        /// What was to be started.
        program: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The socket to it failed.
    #[error("cannot talk to the guard: {0}")]
    Socket(#[from] io::Error),
    /// It ended before it was ready.
    #[error("the guard ended before it was ready")]
    Gone,
    /// It speaks another version, or nonsense: the program was replaced while the daemon runs.
    #[error("the guard does not speak this daemon's protocol ({0}); restart the daemon")]
    Protocol(String),
}
