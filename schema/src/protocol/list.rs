//! `list`.

use super::call;
use crate::error::WireError;
use crate::goal::{BlockedReason, Completed, PhaseName};
use crate::id::SessionId;
use crate::protocol::status::{Activation, SessionView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Lists sessions, in the order they were opened, a page at a time.
    List, "list", ListParams => ListReply
);

/// Parameters of `list`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListParams {
    /// Only of this workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The last session of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<SessionId>,
}

/// A page of sessions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListReply {
    /// The sessions.
    pub sessions: Vec<ListEntry>,
    /// Where the next page starts; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<SessionId>,
    /// Why the log takes no more changes, where its database is damaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_damage: Option<WireError>,
}

/// One session in a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListEntry {
    /// The session.
    pub session: SessionView,
    /// Its goal in short; null where there is none.
    pub goal: Option<GoalBrief>,
    /// May the driver start rounds?
    pub activation: Activation,
    /// How many messages wait.
    pub queued: u64,
    /// Why the session cannot be used, where its log is damaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damaged: Option<String>,
}

/// A goal in short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoalBrief {
    /// The first 200 characters.
    pub objective: String,
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
}
