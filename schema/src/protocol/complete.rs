//! `complete`.

use super::call;
use crate::goal::GoalRef;
use crate::protocol::target::{Changed, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Completes the goal on a human's word, at once.
    Complete, "complete", CompleteParams => Changed
);

/// Parameters of `complete`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompleteParams {
    /// Which session.
    pub target: Target,
    /// The goal as the caller saw it.
    #[serde(rename = "ref")]
    pub reference: GoalRef,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}
