//! The vocabulary of goald: ids, events, snapshots, protocol, error and exit codes.
//!
//! Types only. This crate decides nothing, does no I/O, reads no clock and no environment; everything above it
//! (`daemon/core`, `daemon`, `cli`) speaks in its words. Stored and spoken JSON is camelCase, decoding is strict: an
//! unknown field is an error (`docs/protocol.md`, `docs/rules.md`).

pub mod actor;
pub mod agent;
pub mod criterion;
pub mod doctor;
pub mod error;
pub mod event;
pub mod exit;
pub mod export;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod goal;
pub mod id;
pub mod number;
pub mod protocol;
pub mod reason;
pub mod recovery;
pub mod socket;
pub mod strict;
pub mod time;
pub mod usage;

pub use actor::{Actor, Via};
pub use error::{ErrorCode, WireError};
pub use event::Event;
pub use exit::Exit;
pub use goal::{Goal, GoalRef, Phase};
pub use time::Timestamp;
