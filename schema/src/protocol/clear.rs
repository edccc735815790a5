//! `clear`.

use super::call;
use crate::goal::GoalRef;
use crate::protocol::target::{Changed, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Takes the goal away. With none it stops a running message turn, or does nothing.
    Clear, "clear", ClearParams => Changed
);

/// Parameters of `clear`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClearParams {
    /// Which session.
    pub target: Target,
    /// The goal as the caller saw it; none where it saw no goal.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<GoalRef>,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}
