//! Who did it, and by which door (`docs/rules.md`, "Who may do what").

use crate::id::AttemptId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who caused an event. Derived by the daemon from who the peer is, never declared by it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Actor {
    /// A person of the daemon's own user.
    Human,
    /// An agent that showed the token of a live attempt. The daemon knows which turn the attempt is in.
    Agent {
        /// The attempt whose token was shown.
        attempt: AttemptId,
    },
    /// Anything else: it may read, nothing more.
    Other {
        /// Why it is neither a human nor a live attempt.
        why: OtherWhy,
    },
    /// The round driver.
    Driver,
    /// The verification of criteria.
    Verifier,
    /// A standing permission given earlier by a human.
    Policy,
}

/// Why a peer counts as `other`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OtherWhy {
    /// It descends from the daemon or from a guard, but showed no live token.
    BelowDaemon,
    /// It or one of its ancestors carries an attempt's marker in its environment.
    AttemptMarker,
    /// It showed a token that belongs to no running attempt.
    DeadToken,
    /// It showed the token of an attempt in another session.
    OtherSession,
    /// An MCP server without a live token: always an agent's voice.
    McpWithoutToken,
    /// It could not be told who it is (already gone, or hidden by the system).
    UnknownOrigin,
}

impl OtherWhy {
    /// The reason in words, to follow "because".
    pub const fn words(self) -> &'static str {
        match self {
            Self::BelowDaemon => "it was started by an agent, a check or the daemon itself",
            Self::AttemptMarker => "it runs inside an agent's attempt (GOALD_ATTEMPT is set)",
            Self::DeadToken => "its token belongs to no running attempt",
            Self::OtherSession => "its token belongs to an attempt in another session",
            Self::McpWithoutToken => "it is an MCP server without a running attempt's token",
            Self::UnknownOrigin => "it could not be found out which process is asking",
        }
    }
}

/// The door through which a command came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// The command line, or a program that speaks the socket's protocol.
    Cli,
    /// The MCP server `goal mcp`.
    Mcp,
    /// A hook of an attached agent.
    Hook,
    /// A timer of the daemon.
    Timer,
    /// The daemon itself: the end of a process, a start, a stop.
    Daemon,
}
