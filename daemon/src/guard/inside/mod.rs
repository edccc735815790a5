//! The inside of the guard process: one thread, one `poll` over everything that can happen.
//!
//! Prints nothing: its own output is the agent's. Whatever goes wrong ends in the same way as the daemon's death: the
//! tree is killed and the guard exits.

mod agent;
mod control;
mod descriptors;
mod held;
mod ladder;
mod prompt;
mod serve;
mod tree;

use goald_schema::Exit;
use std::process::ExitCode;

/// The guard process, from start to end.
pub fn run() -> ExitCode {
    match serve::serve() {
        Ok(()) => ExitCode::SUCCESS,
        // The daemon is gone or talks nonsense; by now nothing of the tree is left, and there is nobody to tell.
        Err(_) => ExitCode::from(Exit::Failed.code()),
    }
}
