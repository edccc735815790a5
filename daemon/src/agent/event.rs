//! The closed set of what an agent can say.

use super::end::End;
use goald_schema::usage::Usage;

/// Something an agent said. What an adapter does not know is no event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AgentEvent {
    /// The id of the agent's own session, to be resumed by the next attempt.
    Session {
        /// As the agent writes it.
        id: String,
    },
    /// Words of the agent. The last ones are its final text.
    Text {
        /// The words.
        text: String,
    },
    /// It begins to use a tool.
    ToolCall {
        /// The tool.
        name: String,
    },
    /// A tool is done.
    ToolResult {
        /// The tool, where the agent says it.
        name: Option<String>,
        /// Whether it went well, where the agent says it.
        ok: Option<bool>,
    },
    /// What this attempt has used so far, whatever scope the agent reports in (see [`super::Meter`]).
    Usage(Usage),
    /// It tries again by itself.
    Retry {
        /// After how long, in milliseconds, where it says so.
        after_ms: Option<u64>,
    },
    /// A hook of the agent's own refused something.
    HookBlocked {
        /// Its words.
        message: String,
    },
    /// Something a person may want to know.
    Warning {
        /// What.
        message: String,
    },
    /// The agent says that its turn is over. The last one counts, together with the exit status.
    End(End),
}
