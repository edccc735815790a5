//! `message/queued`, `message/delivered`.

use crate::id::{AttemptId, BlobHash, MessageId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A human's message waits for its turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageQueued {
    /// Which.
    pub message: MessageId,
    /// Its text.
    pub text: BlobHash,
    /// The attempt that is cut for it, or the one whose check is: `say --now`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupts: Option<AttemptId>,
}

/// Messages are done with: their turn is over, or they failed for good.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageDelivered {
    /// Which, in order.
    pub messages: Vec<MessageId>,
    /// The attempt that had them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptId>,
    /// Why they could not be delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<MessageFailure>,
}

/// Why messages could not be delivered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageFailure {
    /// In words.
    pub message: String,
}
