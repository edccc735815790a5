//! The rules of goald: `decide`, `evolve`, `next_step`. No I/O, no clock, no tokio.
//!
//! ```text
//! command ─> decide(state, live, command, actor, ctx) ─> facts ─> one append ─> evolve(state, fact)
//!                                                                    │
//!                                   next_step(state, live, now) ─> one step ─> result ─> command
//! ```
//!
//! The shell (`daemon`) makes facts durable and carries out steps; it decides nothing. The rules are written down in
//! `docs/rules.md`.

pub mod authority;
pub mod backoff;
pub mod clock;
pub mod command;
pub mod decide;
pub mod evolve;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod live;
pub mod next_check;
pub mod next_step;
pub mod objective;
pub mod prompt;
pub mod state;

pub use clock::{Mono, Now};
pub use command::{Command, Context};
pub use decide::{Decision, Fact, decide};
pub use evolve::{Illegal, evolve};
pub use live::Live;
pub use next_step::{Step, next_step};
pub use state::State;
