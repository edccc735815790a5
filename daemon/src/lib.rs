//! The shell around the rules: store, session task, agents, guard, verification, server.
//!
//! This crate owns every effect of the daemon. It prints nothing on a terminal and reads no environment of its own:
//! whoever starts it says where things are ([`home::Home`]).

pub mod agent;
pub mod attempt;
mod clock;
mod config;
#[cfg(feature = "crash-points")]
pub mod crash;
#[cfg(not(feature = "crash-points"))]
mod crash;
pub mod doctor;
mod error;
mod fresh;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod guard;
mod handler;
pub mod home;
mod instance;
mod own_log;
mod peer;
pub mod platform;
mod private_file;
pub mod process;
mod profile;
mod purge;
mod redact;
mod registry;
mod run;
mod scheduler;
mod server;
mod session;
mod shared;
mod socket_place;
pub mod store;
mod text;
mod tokens;
pub mod verify;

pub use error::DaemonError;
pub use run::run;
