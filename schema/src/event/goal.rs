//! `goal/change`.

use crate::goal::{Goal, GoalRef};
use crate::number::Revision;
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The goal was created, changed or cleared; the operation says which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "operation", rename_all = "kebab-case")]
pub enum GoalChange {
    /// Revision 1 of a new goal; arms.
    Create(GoalSet),
    /// Objective, criteria or limits changed.
    Edit(GoalSet),
    /// To `paused`; disarms.
    Pause(GoalSet),
    /// To `active`; arms.
    Resume(GoalSet),
    /// To `complete`; disarms.
    Complete(GoalSet),
    /// To `blocked`; disarms.
    Block(GoalSet),
    /// No goal any more; disarms.
    Clear(GoalCleared),
}

impl GoalChange {
    /// The goal's new snapshot; none after a clear.
    pub const fn snapshot(&self) -> Option<&GoalSet> {
        match self {
            Self::Create(set)
            | Self::Edit(set)
            | Self::Pause(set)
            | Self::Resume(set)
            | Self::Complete(set)
            | Self::Block(set) => Some(set),
            Self::Clear(_) => None,
        }
    }

    /// The operation's word.
    pub const fn operation(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Edit(_) => "edit",
            Self::Pause(_) => "pause",
            Self::Resume(_) => "resume",
            Self::Complete(_) => "complete",
            Self::Block(_) => "block",
            Self::Clear(_) => "clear",
        }
    }
}

/// A goal's snapshot after a change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoalSet {
    /// The goal as it is now.
    pub goal: Goal,
    /// Rounds it has used up.
    pub rounds_started: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When this change was made.
    pub updated_at: Timestamp,
}

/// A tombstone, one revision past the goal's last.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoalCleared {
    /// The goal, at one past its last revision.
    pub cleared: GoalRef,
    /// When.
    pub cleared_at: Timestamp,
}

impl GoalCleared {
    /// The tombstone of a goal that stood at `last`.
    pub const fn of(last: GoalRef, at: Timestamp) -> Self {
        let revision: Revision = last.revision.next();
        Self { cleared: GoalRef { id: last.id, revision }, cleared_at: at }
    }
}
