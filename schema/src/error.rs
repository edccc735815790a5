//! Errors as they travel: a stable code, what is wrong, what to do.

use crate::exit::Exit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident => $text:literal, $exit:ident;)*) => {
        /// A stable error code. Programs match on it; words may change.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
        pub enum ErrorCode {
            $($(#[$doc])* #[serde(rename = $text)] $variant,)*
        }

        impl ErrorCode {
            /// Every one, in the order of `docs/codes.md`.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The text.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The exit code of a verb that ends with this error.
            pub const fn exit(self) -> Exit {
                match self {
                    $(Self::$variant => Exit::$exit,)*
                }
            }
        }
    };
}

codes! {
    /// The ref named another revision than the current one.
    StaleRevision => "stale-revision", Refused;
    /// The goal's phase does not allow this.
    WrongPhase => "wrong-phase", Refused;
    /// An unfinished goal is current.
    UnfinishedGoal => "unfinished-goal", Refused;
    /// Resume: rounds are already being started.
    AlreadyArmed => "already-armed", Refused;
    /// Resume: a limit is spent.
    LimitSpent => "limit-spent", Refused;
    /// Resume: a question to the human is open.
    QuestionOpen => "question-open", Refused;
    /// A claim of the agent was refused and recorded.
    ClaimRefused => "claim-refused", Refused;
    /// Pause: nothing runs that could be stopped.
    NothingToStop => "nothing-to-stop", Refused;
    /// Whoever asked may not do this; recorded.
    NotPermitted => "not-permitted", NotPermitted;
    /// The peer belongs to another user.
    ForeignUser => "foreign-user", NotPermitted;
    /// The session has no goal.
    NoGoal => "no-goal", NotFound;
    /// No such session.
    NoSession => "no-session", NotFound;
    /// No such round, attempt or output.
    NotFound => "not-found", NotFound;
    /// The objective or another text is empty.
    EmptyText => "empty-text", Usage;
    /// The objective or another text is too long.
    TextTooLong => "text-too-long", Usage;
    /// A number or name is outside what is allowed.
    InvalidValue => "invalid-value", Usage;
    /// The workspace is no folder that can be entered.
    WorkspaceMissing => "workspace-missing", Usage;
    /// No such agent profile or program.
    UnknownAgent => "unknown-agent", Usage;
    /// The configuration file cannot be used.
    BadConfig => "bad-config", Usage;
    /// A frame is no JSON-RPC request, or its parameters do not fit.
    BadRequest => "bad-request", Usage;
    /// A frame is longer than a frame may be.
    FrameTooLong => "frame-too-long", Usage;
    /// No such method.
    UnknownMethod => "unknown-method", Usage;
    /// More connections, or more waits and subscriptions on one, than the daemon takes.
    TooMany => "too-many", Failed;
    /// `hello` is missing, or names a version that is not spoken here.
    UnsupportedVersion => "unsupported-version", Failed;
    /// The disk or the folder has no room.
    DiskFull => "disk-full", Failed;
    /// The log could not be written or read.
    StoreFailed => "store-failed", Failed;
    /// A session's log breaks a rule: it is not used, and nothing is guessed.
    LogDamaged => "log-damaged", Failed;
    /// The database as a whole is damaged: it is read as far as it can be, and nothing is changed.
    StoreDamaged => "store-damaged", Failed;
    /// The log can be read but not written.
    StoreReadOnly => "store-read-only", Failed;
    /// The log was written by a newer goald.
    NewerStore => "newer-store", Failed;
    /// The daemon is stopping.
    Stopping => "stopping", Failed;
    /// The daemon is not running and could not be started, or does not answer.
    Unreachable => "unreachable", Unreachable;
    /// Time ran out.
    TimedOut => "timed-out", TimedOut;
    /// A fault in goald itself.
    Internal => "internal", Failed;
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error on the wire and, with `--json`, on standard output: `{"code", "message", "hint"}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[error("{message}")]
pub struct WireError {
    /// For programs.
    pub code: ErrorCode,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl WireError {
    /// Without a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// With what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
