//! `resume`.

use super::call;
use crate::goal::GoalRef;
use crate::protocol::target::{Caller, Changed, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Lets rounds start again, with the caller's environment.
    Resume, "resume", ResumeParams => Changed
);

/// Parameters of `resume`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResumeParams {
    /// Which session.
    pub target: Target,
    /// The goal as the caller saw it.
    #[serde(rename = "ref")]
    pub reference: GoalRef,
    /// Whose environment the agent gets. An agent that resumes leaves it out: its session's is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Caller>,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}
