//! `create`.

use super::call;
use crate::goal::{GoalRef, WorkspaceUse};
use crate::protocol::target::{Caller, Changed, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Creates a goal, opening the session where there is none, and arms it.
    Create, "create", CreateParams => Changed
);

/// Parameters of `create`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateParams {
    /// Which session.
    pub target: Target,
    /// What must be true.
    pub objective: ObjectiveText,
    /// A profile of `config.toml`, a path, or a command line. Absent: the configuration's default, or the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How many rounds it may use. Absent: the configuration's default. An agent's may only be lower than that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rounds: Option<u32>,
    /// Command lines that must exit with 0, in the order they are checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// Whether it works beside other sessions of its workspace, instead of one after another. Only a person may say so.
    #[serde(default, skip_serializing_if = "WorkspaceUse::is_alone")]
    pub workspace_use: WorkspaceUse,
    /// The unfinished goal that this one takes the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<GoalRef>,
    /// Whose environment the agent gets. An agent that creates leaves it out: its session's is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Caller>,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// An objective as it was given: where it comes from decides how long it may be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "from", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ObjectiveText {
    /// From the command line or a tool: at most 4,000 characters.
    Inline {
        /// The text.
        text: String,
    },
    /// From a file: at most 256 KiB.
    File {
        /// The text.
        text: String,
    },
}
