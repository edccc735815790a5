//! `turn/stopped`.

use crate::event::CancelCause;
use crate::id::AttemptId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A human stopped a message turn; its messages are not delivered again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TurnStopped {
    /// The running attempt, if one had started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptId>,
    /// By which verb.
    pub cause: CancelCause,
}
