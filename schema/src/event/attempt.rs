//! `attempt/started`, `attempt/ended`.

use crate::goal::GoalRef;
use crate::id::{AttemptId, BlobHash, MessageId};
use crate::number::{AttemptNumber, Revision, Round};
use crate::reason::ReasonCode;
use crate::time::Timestamp;
use crate::usage::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent is about to get a prompt: durable before the guard's gate opens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AttemptStarted {
    /// Its id, also the marker in the environment of its processes.
    pub attempt: AttemptId,
    /// What it is for.
    pub turn: Turn,
    /// The how-many-th attempt of that turn.
    pub number: AttemptNumber,
    /// The goal that the agent was told, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
    /// The prompt.
    pub prompt: BlobHash,
    /// The process that holds its tree.
    pub guard: GuardProcess,
    /// Absolute path of the agent's program.
    pub program: String,
    /// The program's version, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The model, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The permissions handed to the agent, where some were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<String>,
    /// The agent's own session that is continued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<String>,
}

/// What an attempt is for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Turn {
    /// A round of the goal.
    Round {
        /// Which.
        round: Round,
    },
    /// Human messages, all that were due.
    Messages {
        /// In the order they were sent.
        messages: Vec<MessageId>,
    },
}

/// The goal as the agent was told it: claims are compared with this.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Given {
    /// The goal and its revision.
    #[serde(rename = "ref")]
    pub reference: GoalRef,
    /// Its content revision.
    pub content_revision: Revision,
}

/// A process told apart from any later one with the same number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuardProcess {
    /// Process id.
    pub pid: u32,
    /// Start time in clock ticks since boot, as the kernel tells it.
    pub start_ticks: u64,
    /// The kernel's id of that boot.
    pub boot_id: String,
}

/// The agent is gone, and nothing of its tree is left.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AttemptEnded {
    /// Which.
    pub attempt: AttemptId,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the prompt reached the agent.
    pub delivered: Delivered,
    /// What it used, where the agent says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How long it worked, in milliseconds of the machine being awake.
    pub worked_ms: u64,
    /// The agent's own session, to be continued by the next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_session: Option<String>,
    /// The agent's last words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_text: Option<BlobHash>,
    /// What follows.
    pub next: Next,
    /// Events by tool calls over the bound of an attempt, not recorded.
    pub suppressed: u64,
}

/// How an attempt ended: built from terminal event, exit status and what the daemon intended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Outcome {
    /// By itself, well.
    Completed,
    /// By itself, badly.
    Failed {
        /// What went wrong.
        failure: Failure,
    },
    /// The daemon cut it.
    Interrupted {
        /// On whose account.
        cause: CancelCause,
    },
    /// The daemon cut it because it took too long.
    Timeout {
        /// Which bound.
        bound: TimeoutKind,
    },
    /// The daemon cut it because a limit was spent in mid-turn.
    Limit {
        /// Which, as the goal will be blocked.
        code: ReasonCode,
    },
    /// Nobody saw the end: the daemon or the machine died.
    Lost,
}

/// What went wrong in an attempt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Failure {
    /// Sorted by the adapter.
    pub kind: FailureKind,
    /// The agent's or the system's own words.
    pub message: String,
    /// An HTTP status, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the agent's server asks to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// Kinds of failure, each with a rule of its own (`docs/rules.md`, "Failures").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// Overload, network, a cut stream: tried again after a delay.
    Transient,
    /// The process ended badly without saying more: tried again after a delay.
    Crash,
    /// The agent's context is full: tried again in a fresh agent session.
    ContextExhausted,
    /// The answer was cut at the output limit: the next round goes on.
    OutputLimit,
    /// A usage limit of the account: blocks `usage-limit`.
    UsageLimit,
    /// Not signed in: blocks `auth-required`.
    AuthRequired,
    /// Wrong arguments, model or settings: blocks `agent-failed` at once.
    Configuration,
    /// The prompt was refused before the turn began: blocks `prompt-rejected`.
    PromptRejected,
    /// The program could not be started: blocks `queue-failed`.
    Spawn,
    /// The workspace is no folder any more: blocks `workspace-missing`.
    Workspace,
}

/// Why the daemon cut an attempt. Ordered: a stronger cause replaces a weaker one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CancelCause {
    /// A newer message wants to be heard now.
    Message,
    /// The goal was paused, or a message turn was stopped by `pause`.
    Pause,
    /// The goal was blocked by a human.
    Block,
    /// The goal was completed by a human.
    Complete,
    /// The goal was cleared or replaced, or a message turn was stopped by `clear`.
    Clear,
    /// The log cannot be written.
    StoreFailed,
    /// The daemon is stopping.
    DaemonStop,
}

/// A bound on an attempt's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeoutKind {
    /// The whole attempt.
    Round,
    /// Without output.
    Idle,
}

/// Whether a prompt reached the agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Delivered {
    /// No byte of it.
    No,
    /// All of it was handed over.
    Yes,
    /// Some of it, or nobody saw.
    Unknown,
}

/// What follows an attempt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Next {
    /// The turn is over.
    TurnOver,
    /// The turn stays open: another attempt when the goal runs again.
    Again,
    /// The turn stays open: another attempt after a delay.
    Retry {
        /// When, by the wall clock.
        at: Timestamp,
        /// How long after the end, in milliseconds.
        after_ms: u64,
    },
}
