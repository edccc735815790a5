//! `session/opened`.

use crate::agent::AgentProfile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A session came to be: always its first event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionOpened {
    /// Absolute path of the folder the agent works in.
    pub workspace: String,
    /// Unique per workspace.
    pub name: String,
    /// The agent of message turns while no goal names another.
    pub profile: AgentProfile,
}
