//! `purge`: deleting what is kept of finished goals beside the log.

use super::call;
use crate::protocol::target::Target;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Deletes prompts, messages, final texts, outputs and long objectives of finished goals. Events stay.
    Purge, "purge", PurgeParams => PurgeReply
);

/// Parameters of `purge`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurgeParams {
    /// Which session; absent: every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// Only say what would go.
    #[serde(default)]
    pub dry_run: bool,
}

/// What went, or would.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurgeReply {
    /// Whether it only says what would go.
    pub dry_run: bool,
    /// How many sessions were looked at.
    pub sessions: u64,
    /// How many finished goals something was freed of.
    pub goals: u64,
    /// How many texts of the log.
    pub blobs: u64,
    /// How many files: outputs, and long objectives laid down for agents.
    pub files: u64,
    /// How much that was, in bytes.
    pub bytes: u64,
    /// What could not be done, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
