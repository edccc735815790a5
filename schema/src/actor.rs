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
    /// It showed the token of another attempt than the one it runs in.
    ForeignToken,
    /// An MCP server without a live token: always an agent's voice.
    McpWithoutToken,
    /// It descends from the agent of an attached session.
    BelowAttached,
    /// It was left behind by an attempt whose guard was killed.
    Leftover,
    /// It is in another process namespace than the daemon.
    OtherNamespace,
    /// The process that connected has ended; whoever speaks now only holds its connection.
    Exited,
    /// It could not be told who it is (its ancestors kept changing, or are hidden by the system).
    UnknownOrigin,
}

impl OtherWhy {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BelowDaemon => "below-daemon",
            Self::AttemptMarker => "attempt-marker",
            Self::DeadToken => "dead-token",
            Self::OtherSession => "other-session",
            Self::ForeignToken => "foreign-token",
            Self::McpWithoutToken => "mcp-without-token",
            Self::BelowAttached => "below-attached",
            Self::Leftover => "leftover",
            Self::OtherNamespace => "other-namespace",
            Self::Exited => "exited",
            Self::UnknownOrigin => "unknown-origin",
        }
    }

    /// The reason in words, to follow "because".
    pub const fn words(self) -> &'static str {
        match self {
            Self::BelowDaemon => "it was started by an agent, a check or the daemon itself",
            Self::AttemptMarker => "it runs inside an agent's attempt (GOALD_ATTEMPT is set)",
            Self::DeadToken => "its token belongs to no running attempt",
            Self::OtherSession => "its token belongs to an attempt in another session",
            Self::ForeignToken => "its token belongs to another attempt than the one it runs in",
            Self::McpWithoutToken => "it is an MCP server without a running attempt's token",
            Self::BelowAttached => "it was started by the agent of an attached session",
            Self::Leftover => "it was left behind by an agent's attempt",
            Self::OtherNamespace => "it runs in another process namespace (a container) than the daemon",
            Self::Exited => "the process that connected has ended",
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
