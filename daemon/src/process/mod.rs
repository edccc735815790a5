//! Processes as the system shows them: telling one from a later one with the same number, signalling exactly that one,
//! and ending what guards could not end.
//!
//! Starts nothing and waits for nothing that it did not signal itself.

pub mod adopted;
mod identity;
pub mod leftover;
mod signal;
mod stat;

pub use identity::{identity, is_alive};
pub use signal::{Sent, send};
pub use stat::{Stat, State, all, read};
