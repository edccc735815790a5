//! `rounds`: what each round of the current goal did.

use super::call;
use crate::criterion::CriterionId;
use crate::event::{Claim, Outcome, RefusedWhy, RoundEnd, Verdict};
use crate::id::{AttemptId, GoalId};
use crate::number::{AttemptNumber, Round};
use crate::protocol::target::Target;
use crate::time::Timestamp;
use crate::usage::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Reads the rounds of the current goal.
    Rounds, "rounds", RoundsParams => RoundsReply
);

/// Parameters of `rounds`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoundsParams {
    /// Which session.
    pub target: Target,
    /// Rounds after this one; 0 for all.
    #[serde(default)]
    pub after: Round,
    /// Only this round, with what its checks printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Round>,
}

/// A page of rounds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoundsReply {
    /// The goal.
    pub goal: GoalId,
    /// Its rounds, in order.
    pub rounds: Vec<RoundView>,
    /// Read on after this round; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Round>,
}

/// One round.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoundView {
    /// Its number.
    pub round: Round,
    /// When it was admitted.
    pub admitted_at: Timestamp,
    /// How it ended; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<RoundEnd>,
    /// Its attempts, in order.
    pub attempts: Vec<RoundAttempt>,
    /// The last claim that stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// Claims that were refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedWhy>,
    /// What checking said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The end of what each check printed, where one round was asked for; in the order of the verdict's results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<CheckOutput>,
}

/// What a check printed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckOutput {
    /// Whose.
    pub criterion: CriterionId,
    /// Its end, at most 8 KiB. Absent where it is lost, or where the checks printed more than fits into one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// One attempt of a round.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoundAttempt {
    /// Its id.
    pub attempt: AttemptId,
    /// Its number in the round.
    pub number: AttemptNumber,
    /// When it started.
    pub started_at: Timestamp,
    /// How it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// How long it worked, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worked_ms: Option<u64>,
    /// What it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}
