//! `edit`.

use super::call;
use crate::goal::GoalRef;
use crate::protocol::create::ObjectiveText;
use crate::protocol::target::{Changed, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Changes a goal. What is absent stays as it is.
    Edit, "edit", EditParams => Changed
);

/// Parameters of `edit`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditParams {
    /// Which session.
    pub target: Target,
    /// The goal as the caller saw it.
    #[serde(rename = "ref")]
    pub reference: GoalRef,
    /// Another objective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<ObjectiveText>,
    /// Another bound on rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rounds: Option<u32>,
    /// Other checks, all of them; an empty list takes them away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<String>>,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}
