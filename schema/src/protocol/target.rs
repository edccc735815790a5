//! What every change has in common: which session, which revision, whose environment; and the reply.

use crate::id::SessionId;
use crate::protocol::status::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Target {
    /// By workspace and name.
    Place {
        /// Absolute path of the workspace.
        workspace: String,
        /// Its name there.
        name: String,
    },
    /// By id.
    Session {
        /// The id.
        session: SessionId,
    },
    /// The session of the attempt whose token was shown in `hello`.
    Token {},
}

/// The environment of whoever creates, resumes or sends a message. Kept in memory only, never stored, never logged.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Environment(pub BTreeMap<String, String>);

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Environment({} variables)", self.0.len())
    }
}

/// The caller's side of starting an agent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Caller {
    /// Its environment.
    pub environment: Environment,
    /// Its current folder, for relative programs.
    pub cwd: String,
}

/// The reply to every change.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Changed {
    /// Whether anything was written. `false` where the wish was already so.
    pub changed: bool,
    /// How things stand now.
    pub status: Status,
    /// What the human should know, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
