//! `hello`: the first request of every connection.

use super::call;
use crate::actor::Actor;
use crate::actor::Via;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Greets; anything before it is refused.
    Hello, "hello", HelloParams => HelloReply
);

/// Who calls, as far as it can say so itself: nothing here gives a right, but for a live attempt's token.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HelloParams {
    /// The protocol version that the client speaks.
    pub version: u32,
    /// The door. `mcp` takes rights away: an MCP server without a live token is never human.
    pub via: Via,
    /// The token of an attempt, from the environment variable `GOALD_TOKEN`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// The daemon's answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HelloReply {
    /// The protocol version that the daemon speaks.
    pub version: u32,
    /// The daemon's own version.
    pub daemon: String,
    /// What the peer was taken for.
    pub actor: Actor,
}
