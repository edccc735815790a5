//! One attempt: driving a running tree to its end, keeping what it prints, saying how it ended.

pub mod environment;
mod intent;
mod output;
mod run;

pub use output::OutputState;
pub use run::{AttemptHandle, AttemptReport, Bounds, start};
