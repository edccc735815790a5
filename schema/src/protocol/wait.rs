//! `wait`: answers when goals stop.

use super::call;
use crate::exit::Exit;
use crate::protocol::status::Status;
use crate::protocol::target::Target;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Answers when the goals of these sessions no longer run; at once where they do not.
    Wait, "wait", WaitParams => WaitReply
);

/// Parameters of `wait`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WaitParams {
    /// Which sessions; at least one.
    pub targets: Vec<Target>,
    /// For how many of them.
    #[serde(default)]
    pub mode: WaitMode,
    /// How long, in milliseconds; absent: as long as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// For how many sessions to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WaitMode {
    /// For every one.
    #[default]
    All,
    /// For the first.
    Any,
}

/// What was waited for. A time-out is the error `timed-out`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WaitReply {
    /// The sessions that stopped, in the order they were asked for.
    pub stopped: Vec<Waited>,
}

/// A session that stopped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Waited {
    /// How its goal stopped.
    pub outcome: GoalOutcome,
    /// How it stands.
    pub status: Status,
}

/// How a goal stopped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GoalOutcome {
    /// It is complete.
    Complete,
    /// It is blocked.
    Blocked,
    /// It is paused.
    Paused,
    /// It was cleared, or there never was one.
    Cleared,
    /// It is active but disarmed.
    NeedsResume,
}

impl GoalOutcome {
    /// The exit code of `run` and `wait`.
    pub const fn exit(self) -> Exit {
        match self {
            Self::Complete => Exit::Done,
            Self::Blocked => Exit::Blocked,
            Self::Paused | Self::Cleared | Self::NeedsResume => Exit::Stopped,
        }
    }
}
