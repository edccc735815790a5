//! `agent.complete`, `agent.blocked`: claims. (Reading is `status`; create, edit, pause and resume are the same methods
//! that a human's client uses, with the token in `hello`.)

use super::call;
use crate::goal::GoalRef;
use crate::protocol::status::Status;
use crate::protocol::target::Target;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// The agent says the goal is reached.
    AgentComplete, "agent.complete", AgentCompleteParams => ClaimReply
);
call!(
    /// The agent says the goal cannot be reached as things are.
    AgentBlocked, "agent.blocked", AgentBlockedParams => ClaimReply
);

/// Parameters of `agent.complete`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentCompleteParams {
    /// Which session; an agent's own is `token`.
    pub target: Target,
    /// The goal as the agent saw it; absent: as its attempt was given.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<GoalRef>,
    /// What was done.
    pub summary: String,
    /// Paths or links worth looking at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// What the agent itself could not check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unverified: Vec<String>,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Parameters of `agent.blocked`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentBlockedParams {
    /// Which session; an agent's own is `token`.
    pub target: Target,
    /// The goal as the agent saw it; absent: as its attempt was given.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<GoalRef>,
    /// Why.
    pub reason: String,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The answer to a recorded claim.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimReply {
    /// What the agent is to do now, in words.
    pub instruction: String,
    /// How things stand now.
    pub status: Status,
}
