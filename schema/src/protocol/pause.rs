//! `pause`.

use super::call;
use crate::goal::GoalRef;
use crate::protocol::target::{Changed, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Stops the goal, at once or at the round's end; where no goal is active, a running message turn.
    Pause, "pause", PauseParams => Changed
);

/// Parameters of `pause`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PauseParams {
    /// Which session.
    pub target: Target,
    /// The goal as the caller saw it; none where it saw no goal.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<GoalRef>,
    /// When.
    #[serde(default)]
    pub when: PauseWhen,
    /// Makes a repeated request harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// When to pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PauseWhen {
    /// At once: the running attempt is cut.
    #[default]
    Now,
    /// When the round is over and checked.
    AfterRound,
}
