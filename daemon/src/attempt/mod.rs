//! One attempt: driving a running agent to its end, its output into a file, its bounds kept, its outcome told.
//!
//! Decides nothing about goals: what follows an outcome is the core's business. Stores nothing but the output file.

pub mod afterwards;
mod collected;
pub mod environment;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod handle;
mod intent;
mod outcome;
mod output;
mod run;
mod timers;

pub use handle::{AttemptHandle, OutputState};
pub use run::{AttemptReport, Bounds, start};
