//! `block`.

use super::call;
use crate::goal::GoalRef;
use crate::protocol::target::{Changed, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Blocks the goal with a reason.
    Block, "block", BlockParams => Changed
);

/// Parameters of `block`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlockParams {
    /// Which session.
    pub target: Target,
    /// The goal as the caller saw it.
    #[serde(rename = "ref")]
    pub reference: GoalRef,
    /// Lower-kebab-case.
    pub code: String,
    /// The reason in words.
    pub message: String,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}
