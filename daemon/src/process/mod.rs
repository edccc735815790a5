//! Processes as the system shows them: telling one from a later one with the same number, signalling exactly that one,
//! and ending what an attempt of an earlier daemon, or a killed guard, left behind.
//!
//! Starts nothing but the daemon's own guards, and waits for nothing that it did not signal itself.

pub mod adopted;
mod below;
mod identity;
pub mod leftover;
mod over;
mod signal;
mod stat;

pub use below::below;
pub use identity::{identity, is_alive};
pub use over::is_over;
pub use signal::{Sent, send};
pub use stat::{Stat, State, all, read};
