//! `verdict/recorded`.

use crate::criterion::CriterionResult;
use crate::event::Claim;
use crate::goal::GoalRef;
use crate::id::AttemptId;
use crate::number::Revision;
use crate::usage::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The recorded outcome of checking a goal's criteria.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Verdict {
    /// Why it was checked.
    pub occasion: Occasion,
    /// The goal as it was.
    #[serde(rename = "ref")]
    pub reference: GoalRef,
    /// The content that was checked; a verdict about older content has no effect.
    pub content_revision: Revision,
    /// The attempt whose turn was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptId>,
    /// What the agent claimed in that turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The outcome as a whole.
    pub result: VerdictResult,
    /// Each criterion that was checked, in order.
    pub results: Vec<CriterionResult>,
    /// Fingerprint of the workspace's content, where one was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The judge that was asked, as it named itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// What the judge used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_usage: Option<Usage>,
    /// How long checking took, in milliseconds.
    pub worked_ms: u64,
}

/// Why criteria were checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Occasion {
    /// Before the first round.
    Baseline,
    /// At a round's end.
    Round,
    /// At the end of a message turn that claimed.
    Message,
    /// Before a resumed goal's next round.
    Resume,
    /// A human asked.
    Manual,
    /// A human approved.
    Approval,
}

/// The outcome as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictResult {
    /// Every criterion holds.
    Met,
    /// At least one does not.
    Unmet,
    /// There was nothing to check; the agent's word was taken.
    Unverified,
    /// A judge says that it cannot be reached.
    Impossible,
    /// Only a human's approval is missing.
    NeedsApproval,
    /// Checking failed; nothing follows from it.
    NoVerdict,
    /// The content changed, or the goal was stopped, while it was checked.
    Discarded,
}
