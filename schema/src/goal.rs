//! The goal's snapshot, as it stands in every `goal/change` event (`docs/rules.md`, "Goal rules").

use crate::agent::AgentProfile;
use crate::criterion::Criterion;
use crate::id::{BlobHash, GoalId};
use crate::number::Revision;
use crate::reason::ReasonCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest objective on a command line or by tool, in characters.
pub const OBJECTIVE_CHARS: usize = 4_000;
/// The longest objective from a file, in bytes.
pub const OBJECTIVE_FILE_BYTES: usize = 256 * 1024;

/// Which goal, at which revision. Every change carries the one it was made against.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoalRef {
    /// The goal.
    pub id: GoalId,
    /// Its revision.
    pub revision: Revision,
}

/// A goal without what is derived from the log (rounds started, usage, times).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "StoredGoal", into = "StoredGoal")]
#[schemars(with = "StoredGoal")]
pub struct Goal {
    /// Never used again.
    pub id: GoalId,
    /// Raised by one with every change.
    pub revision: Revision,
    /// The revision at which objective, criteria or protected paths last changed.
    pub content_revision: Revision,
    /// What must be true.
    pub objective: Objective,
    /// Where it stands.
    pub phase: Phase,
    /// How many rounds it may use.
    pub max_goal_rounds: u32,
    /// Conditions of completion, in the order they are checked.
    pub criteria: Vec<Criterion>,
    /// Limits beside the rounds.
    pub limits: Limits,
    /// Thresholds, frozen when the goal was created.
    pub policy: Policy,
    /// The agent, frozen when the goal was created.
    pub agent: AgentProfile,
}

impl Goal {
    /// The ref that the next change must carry.
    pub const fn reference(&self) -> GoalRef {
        GoalRef { id: self.id, revision: self.revision }
    }
}

/// An objective: the whole text, or its head with the stored whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Objective {
    /// Trimmed, not empty, at most [`OBJECTIVE_CHARS`] characters.
    pub text: String,
    /// The whole, where it is longer than `text`.
    pub whole: Option<StoredText>,
}

/// A text kept as a blob.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoredText {
    /// The blob.
    pub blob: BlobHash,
    /// Its length in bytes.
    pub bytes: u64,
}

/// Where a goal stands. Durable, unlike its activation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// To be worked on.
    Active,
    /// Stopped by a human or by the agent in a human's turn.
    Paused,
    /// Stopped for a reason that somebody has to deal with.
    Blocked(BlockedReason),
    /// Reached.
    Complete(Completed),
}

impl Phase {
    /// Its bare name.
    pub const fn name(&self) -> PhaseName {
        match self {
            Self::Active => PhaseName::Active,
            Self::Paused => PhaseName::Paused,
            Self::Blocked(_) => PhaseName::Blocked,
            Self::Complete(_) => PhaseName::Complete,
        }
    }
}

/// The bare name of a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseName {
    /// See [`Phase::Active`].
    Active,
    /// See [`Phase::Paused`].
    Paused,
    /// See [`Phase::Blocked`].
    Blocked,
    /// See [`Phase::Complete`].
    Complete,
}

impl PhaseName {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Blocked => "blocked",
            Self::Complete => "complete",
        }
    }
}

/// Why a goal is blocked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlockedReason {
    /// What kind of reason, for programs; explained in `docs/codes.md`.
    pub code: ReasonCode,
    /// The reason in words, not empty.
    pub message: String,
}

/// How sure a completion is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Completed {
    /// Every criterion was met.
    Verified,
    /// There was nothing to check: the agent's word was taken.
    Unverified,
    /// A human completed it while criteria were unmet or unchecked.
    Override,
}

/// Limits beside the rounds. All optional; absent is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limits {
    /// Tokens of worker and judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Cost in millionths of a US dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_micro_usd: Option<u64>,
    /// Working time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_time_ms: Option<u64>,
}

/// Thresholds, frozen when the goal was created, so that a changed configuration never changes a running goal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// Before this round an agent in a goal round may not call itself blocked. A minimum round number.
    pub blocked_after_consecutive_rounds: u32,
    /// How often one round or message turn may be tried after transient failures.
    pub max_attempts: u32,
    /// The first delay before another attempt, in milliseconds; doubles with each.
    pub retry_base_ms: u64,
    /// How long one attempt may take, in milliseconds of the machine being awake.
    pub round_timeout_ms: u64,
    /// How long an attempt may print nothing, in milliseconds of the machine being awake.
    pub idle_timeout_ms: u64,
    /// What happens after the daemon was restarted.
    pub after_restart: AfterRestart,
    /// Whether it works beside others in its workspace.
    #[serde(default, skip_serializing_if = "WorkspaceUse::is_alone")]
    pub workspace_use: WorkspaceUse,
}

/// Whether a goal takes its workspace for its attempts and checks. A person's word at `create`, frozen then.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkspaceUse {
    /// It does: no two such goals work in one tree at once.
    #[default]
    Alone,
    /// It does not: it works beside whatever else works there.
    Shared,
}

impl WorkspaceUse {
    /// Whether it takes the workspace.
    pub const fn is_alone(&self) -> bool {
        matches!(self, Self::Alone)
    }
}

/// A human's standing word about restarts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterRestart {
    /// Wait for a human's resume.
    Ask,
    /// Policy resumes.
    Resume,
}

/// The stored shape of [`Goal`]: `blockedReason` exactly while blocked, `completed` exactly while complete.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Goal")]
pub struct StoredGoal {
    id: GoalId,
    revision: Revision,
    content_revision: Revision,
    objective: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    objective_whole: Option<StoredText>,
    phase: PhaseName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocked_reason: Option<BlockedReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    completed: Option<Completed>,
    max_goal_rounds: u32,
    criteria: Vec<Criterion>,
    limits: Limits,
    policy: Policy,
    agent: AgentProfile,
}

/// A stored goal that breaks a rule of its own shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadGoal {
    /// `blockedReason` or `completed` does not fit the phase.
    #[error("phase {0} does not go with this blockedReason or completed")]
    Phase(&'static str),
    /// Not trimmed, empty or too long.
    #[error("an objective is trimmed, not empty and at most {OBJECTIVE_CHARS} characters")]
    Objective,
    /// Zero, or content ahead of the goal.
    #[error("revision {revision} does not go with content revision {content}")]
    Revision {
        /// The goal's.
        revision: Revision,
        /// Its content's.
        content: Revision,
    },
    /// No round allowed.
    #[error("maxGoalRounds is at least 1")]
    Rounds,
    /// A blocked reason without words.
    #[error("a blocked reason has a message")]
    Message,
}

impl TryFrom<StoredGoal> for Goal {
    type Error = BadGoal;

    fn try_from(stored: StoredGoal) -> Result<Self, Self::Error> {
        let phase = match (stored.phase, stored.blocked_reason, stored.completed) {
            (PhaseName::Active, None, None) => Phase::Active,
            (PhaseName::Paused, None, None) => Phase::Paused,
            (PhaseName::Blocked, Some(reason), None) if reason.message.is_empty() => {
                return Err(BadGoal::Message);
            }
            (PhaseName::Blocked, Some(reason), None) => Phase::Blocked(reason),
            (PhaseName::Complete, None, Some(completed)) => Phase::Complete(completed),
            (name, ..) => return Err(BadGoal::Phase(name.as_str())),
        };
        let text = stored.objective;
        if text.is_empty() || text.trim() != text || text.chars().count() > OBJECTIVE_CHARS {
            return Err(BadGoal::Objective);
        }
        if stored.revision.get() == 0 || stored.content_revision.get() == 0 || stored.content_revision > stored.revision
        {
            return Err(BadGoal::Revision { revision: stored.revision, content: stored.content_revision });
        }
        if stored.max_goal_rounds == 0 {
            return Err(BadGoal::Rounds);
        }
        Ok(Self {
            id: stored.id,
            revision: stored.revision,
            content_revision: stored.content_revision,
            objective: Objective { text, whole: stored.objective_whole },
            phase,
            max_goal_rounds: stored.max_goal_rounds,
            criteria: stored.criteria,
            limits: stored.limits,
            policy: stored.policy,
            agent: stored.agent,
        })
    }
}

impl From<Goal> for StoredGoal {
    fn from(goal: Goal) -> Self {
        let name = goal.phase.name();
        let (blocked_reason, completed) = match goal.phase {
            Phase::Active | Phase::Paused => (None, None),
            Phase::Blocked(reason) => (Some(reason), None),
            Phase::Complete(completed) => (None, Some(completed)),
        };
        Self {
            id: goal.id,
            revision: goal.revision,
            content_revision: goal.content_revision,
            objective: goal.objective.text,
            objective_whole: goal.objective.whole,
            phase: name,
            blocked_reason,
            completed,
            max_goal_rounds: goal.max_goal_rounds,
            criteria: goal.criteria,
            limits: goal.limits,
            policy: goal.policy,
            agent: goal.agent,
        }
    }
}
