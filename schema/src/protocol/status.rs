//! `status`: how a session stands. The one source of everything that is shown about state.

use super::call;
use crate::criterion::{Check, CriterionId, CriterionResult};
use crate::error::WireError;
use crate::event::{Failure, VerdictResult};
use crate::goal::{BlockedReason, Completed, Limits, PhaseName, WorkspaceUse};
use crate::id::{AttemptId, GoalId, HoldId, MessageId, QuestionId, SessionId};
use crate::number::{AttemptNumber, Position, Revision, Round};
use crate::protocol::target::Target;
use crate::time::Timestamp;
use crate::usage::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Reads a session. Opens none: an unknown one has `session: null`.
    GetStatus, "status", StatusParams => Status
);

/// Parameters of `status`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusParams {
    /// Which session.
    pub target: Target,
}

/// How a session stands.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Status {
    /// The session; null where there is none.
    pub session: Option<SessionView>,
    /// Its current goal; null where there is none.
    pub goal: Option<GoalView>,
    /// May the driver start rounds?
    pub activation: Activation,
    /// The running attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptView>,
    /// Messages that wait, in order.
    pub queued: Vec<QueuedView>,
    /// Whether the goal is to be paused when its round ends.
    pub pause_requested: bool,
    /// Tool calls that the agent was refused.
    pub denied_tools: Vec<String>,
    /// Reasons not to start the next round yet.
    pub holds: Vec<HoldView>,
    /// Open questions to the human.
    pub questions: Vec<QuestionView>,
    /// What completion rests on.
    pub verification: Verification,
    /// The last verdict about this goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_verdict: Option<VerdictView>,
    /// The next attempt, while one is delayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryView>,
    /// The newest position that this status knows of: subscribe from here and miss nothing.
    pub position: Position,
    /// Why the log takes no more changes, where its database is damaged. Only in answer to `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_damage: Option<WireError>,
}

/// May the driver start rounds? In memory only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// It may.
    Armed,
    /// It may not; people read "needs resume".
    Disarmed,
}

/// A session, as shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionView {
    /// Its id.
    pub id: SessionId,
    /// Its name in the workspace.
    pub name: String,
    /// Absolute path.
    pub workspace: String,
    /// The agent's profile.
    pub agent: String,
    /// What it does now.
    pub state: SessionState,
    /// Since when.
    pub since: Timestamp,
}

/// What a session does now: the first that fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SessionState {
    /// A cancelled attempt is not gone yet.
    Stopping,
    /// Criteria are being checked.
    Verifying,
    /// The agent works.
    Running,
    /// A question waits for an answer.
    Asking,
    /// The next attempt is delayed.
    BackingOff,
    /// A hold is open.
    Holding,
    /// For the workspace or a free slot.
    Waiting,
    /// An unfinished goal, but no round will start.
    Stopped,
    /// Nothing to do.
    Idle,
}

impl SessionState {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stopping => "stopping",
            Self::Verifying => "verifying",
            Self::Running => "running",
            Self::Asking => "asking",
            Self::BackingOff => "backing-off",
            Self::Holding => "holding",
            Self::Waiting => "waiting",
            Self::Stopped => "stopped",
            Self::Idle => "idle",
        }
    }
}

/// A goal, as shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoalView {
    /// Its id.
    pub id: GoalId,
    /// Its revision.
    pub revision: Revision,
    /// The revision at which its content last changed.
    pub content_revision: Revision,
    /// What must be true, or the head of it.
    pub objective: String,
    /// Length of the whole in bytes, where `objective` is only its head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective_bytes: Option<u64>,
    /// Where it stands.
    pub phase: PhaseName,
    /// Exactly while blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_reason: Option<BlockedReason>,
    /// Exactly while complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<Completed>,
    /// Rounds used up.
    pub rounds_started: u32,
    /// Rounds it may use.
    pub max_goal_rounds: u32,
    /// Its criteria with their last results.
    pub criteria: Vec<CriterionView>,
    /// Limits beside the rounds.
    pub limits: Limits,
    /// Whether it works beside others in its workspace.
    pub workspace_use: WorkspaceUse,
    /// What it used, where the agent says it.
    pub usage: Usage,
    /// Working time of its attempts and checks, in milliseconds.
    pub worked_ms: u64,
    /// The agent's last words about it: the summary of the last claim of this goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A criterion, as shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CriterionView {
    /// Its name within the goal.
    pub id: CriterionId,
    /// `kind` and `spec`.
    #[serde(flatten)]
    pub check: Check,
    /// Its last result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastResult>,
}

/// A criterion's last result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LastResult {
    /// Whether it held.
    pub met: bool,
    /// The exit code, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// When it was checked.
    pub at: Timestamp,
}

/// The running attempt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AttemptView {
    /// Its id.
    pub id: AttemptId,
    /// The round; null in a message turn.
    pub round: Option<Round>,
    /// The how-many-th attempt of its turn.
    pub n: AttemptNumber,
    /// When it started.
    pub started_at: Timestamp,
}

/// A message that waits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueuedView {
    /// Its id.
    pub id: MessageId,
    /// When it was sent.
    pub at: Timestamp,
}

/// An open hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HoldView {
    /// Its id.
    pub id: HoldId,
    /// What kind.
    pub kind: String,
    /// Until when, where it waits for a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
}

/// An open question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionView {
    /// Its id.
    pub id: QuestionId,
    /// The question.
    pub text: String,
    /// Answers to choose from.
    pub choices: Vec<String>,
}

/// What completion rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// On criteria.
    Criteria,
    /// On the agent's word.
    None,
}

/// A verdict, as shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VerdictView {
    /// The attempt whose turn was checked.
    pub attempt: Option<AttemptId>,
    /// The content that was checked.
    pub content_revision: Revision,
    /// Whether everything held.
    pub met: bool,
    /// The outcome as a whole.
    pub result: VerdictResult,
    /// Each criterion.
    pub results: Vec<CriterionResult>,
    /// When.
    pub at: Timestamp,
}

/// A delayed attempt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetryView {
    /// When it is due, by the wall clock.
    pub at: Timestamp,
    /// The how-many-th attempt it will be.
    pub n: AttemptNumber,
    /// Why the last one failed.
    pub failure: Failure,
}
