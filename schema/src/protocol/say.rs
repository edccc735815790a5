//! `say`.

use super::call;
use crate::protocol::target::{Caller, Changed, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Queues a human's message; in a disarmed session it permits one turn for everything queued.
    Say, "say", SayParams => Changed
);

/// Parameters of `say`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SayParams {
    /// Which session.
    pub target: Target,
    /// The message, at most 256 KiB.
    pub text: String,
    /// Whether what runs is interrupted for it. Where nothing runs it changes nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub now: bool,
    /// The agent, where the session has to be opened first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whose environment the agent gets.
    pub caller: Caller,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}
