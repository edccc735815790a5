//! `effect/begun`, `effect/finished`.

use crate::id::AttemptId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something outside began that must not happen twice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EffectBegun {
    /// Its name, unique in the goal.
    pub key: String,
    /// What it is.
    pub description: String,
    /// By which attempt.
    pub attempt: AttemptId,
}

/// It finished.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EffectFinished {
    /// Its name.
    pub key: String,
    /// By which attempt.
    pub attempt: AttemptId,
    /// What came of it.
    pub result: String,
}
