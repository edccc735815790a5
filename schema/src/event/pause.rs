//! `pause/requested`, `pause/withdrawn`. Neither raises the revision.

use crate::goal::GoalRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The goal is to be paused when its round ends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseRequested {
    /// The goal as it was.
    #[serde(rename = "ref")]
    pub reference: GoalRef,
}

/// That wish was taken back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseWithdrawn {
    /// The goal as it was.
    #[serde(rename = "ref")]
    pub reference: GoalRef,
}
