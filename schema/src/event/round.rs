//! `round/admitted`, `round/ended`.

use crate::goal::GoalRef;
use crate::number::{Revision, Round};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A round's number is used up. Durable before anything is started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoundAdmitted {
    /// The goal as it was.
    #[serde(rename = "ref")]
    pub reference: GoalRef,
    /// Its content revision.
    pub content_revision: Revision,
    /// The number.
    pub round: Round,
}

/// A round is over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoundEnded {
    /// Which.
    pub round: Round,
    /// How.
    pub how: RoundEnd,
    /// Fingerprint of the workspace's content, where one was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// How a round ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoundEnd {
    /// Its attempt ended by itself, by timeout or by a limit.
    Finished,
    /// It was cut and is not continued: the content changed, or the goal is gone.
    Abandoned,
}
