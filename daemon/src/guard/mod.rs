//! The guard: a small process of its own that holds the process tree of one attempt or check, and dies with the daemon.
//!
//! It is the program itself, started again with the argument `guard`: [`run`] is that process (one thread, no runtime),
//! [`Guard`] is the daemon's hand on it. Between them is one socket, which is also the lifeline: when the daemon's end
//! closes, for whatever reason, the tree is killed. Knows nothing of goals, agents or output.

mod client;
mod error;
#[cfg(target_os = "linux")]
mod inside;
mod launch;
mod pipes;
mod pump;
mod status;
mod wire;

pub use client::{Guard, Running, Tree};
pub use error::GuardError;
pub use launch::{LadderTimes, Launch};
pub use pipes::{Pipes, Stream};
pub use pump::Control;
pub use status::{EndStatus, Ended, SpawnFailure, SpawnFailureKind};

/// The argument that makes the program a guard.
pub const ARGUMENT: &str = "guard";

/// The guard process, from start to end. Standard input must be the socket to the daemon. Call it before any thread is
/// started.
#[cfg(target_os = "linux")]
pub fn run() -> std::process::ExitCode {
    inside::run()
}

/// Only Linux has what a guard needs (a subreaper, a parent-death signal, `/proc`): elsewhere no attempt starts.
#[cfg(not(target_os = "linux"))]
pub fn run() -> std::process::ExitCode {
    std::process::ExitCode::from(goald_schema::Exit::Failed.code())
}
