//! Agents: how each kind of program is started, and what its output means. One file an adapter.
//!
//! Pure: an adapter starts nothing, waits for nothing and stores nothing; it is handed lines and gives back events.

mod command;
mod end;
mod event;
mod json_lines;
mod line;
mod meter;
mod tail;
mod text;

pub use crate::guard::Stream;
pub use command::{adapter, launch, program};
pub use end::{End, Seen, Stop, from_event_and_exit};
pub use event::AgentEvent;
pub use line::{Line, LineSplitter};
pub use meter::{Meter, Scope};
pub use tail::Tail;

use goald_schema::usage::Usage;

/// The agent session that an attempt continues; none for a fresh one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resumed {
    /// Its id.
    pub session: Option<String>,
    /// What earlier attempts of it used.
    pub used: Usage,
}

/// Reads one attempt of one kind of agent.
pub trait Adapter: Send {
    /// What a line means; nothing, for most.
    fn line(&mut self, stream: Stream, line: &Line) -> Vec<AgentEvent>;

    /// How the attempt ended, by all that was seen. Only asked if the program ran and was not cut by the daemon.
    fn finish(self: Box<Self>, seen: &Seen<'_>) -> End;
}
