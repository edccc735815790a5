//! `authority/refused`, `permission/suspended`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Somebody tried what it may not do. The envelope's actor says who.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthorityRefused {
    /// What was tried.
    pub operation: Operation,
    /// Why it was refused.
    pub why: String,
}

/// Everything that can be asked of a session, as far as rights go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Create a goal where no unfinished one is.
    Create,
    /// Create a goal in place of an unfinished one.
    Replace,
    /// Change the objective.
    EditObjective,
    /// Change limits, criteria or anything else of a goal.
    EditOther,
    /// Pause, at once or at the round's end.
    Pause,
    /// Let rounds start again.
    Resume,
    /// Complete without a claim.
    Complete,
    /// Block without a claim.
    Block,
    /// Clear.
    Clear,
    /// Report completion.
    ClaimComplete,
    /// Report being blocked.
    ClaimBlocked,
    /// Send the agent a message.
    Say,
    /// Delete what finished goals have left beside the log.
    Purge,
    /// Stop the daemon.
    StopDaemon,
}

impl Operation {
    /// Every one.
    pub const ALL: &'static [Self] = &[
        Self::Create,
        Self::Replace,
        Self::EditObjective,
        Self::EditOther,
        Self::Pause,
        Self::Resume,
        Self::Complete,
        Self::Block,
        Self::Clear,
        Self::ClaimComplete,
        Self::ClaimBlocked,
        Self::Say,
        Self::Purge,
        Self::StopDaemon,
    ];

    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Replace => "replace",
            Self::EditObjective => "edit-objective",
            Self::EditOther => "edit-other",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Complete => "complete",
            Self::Block => "block",
            Self::Clear => "clear",
            Self::ClaimComplete => "claim-complete",
            Self::ClaimBlocked => "claim-blocked",
            Self::Say => "say",
            Self::Purge => "purge",
            Self::StopDaemon => "stop-daemon",
        }
    }
}

/// The standing permission to resume after a restart is suspended until a human resumes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionSuspended {}
