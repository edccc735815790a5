//! `output`, `output.subscribe`, and the notifications `output.chunk` and `output.end`.

use super::call;
use crate::id::AttemptId;
use crate::number::{Position, Round};
use crate::protocol::log::Subscribed;
use crate::protocol::target::Target;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Reads what an attempt printed, a page at a time.
    ReadOutput, "output", OutputParams => OutputReply
);
call!(
    /// Streams what attempts print, the running one from its start, later ones as they come.
    SubscribeOutput, "output.subscribe", SubscribeOutputParams => Subscribed
);

/// The notification that carries an [`OutputChunk`].
pub const OUTPUT_CHUNK: &str = "output.chunk";
/// The notification that says that an attempt prints no more: an [`OutputEnd`].
pub const OUTPUT_END: &str = "output.end";

/// Parameters of `output`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputParams {
    /// Which session.
    pub target: Target,
    /// Which round of the current goal; absent: the newest attempt of the session, message turns included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<Round>,
    /// Read on in this attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptId>,
    /// Where to read on, in bytes of the stored output.
    #[serde(default)]
    pub offset: u64,
}

/// A page of output.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputReply {
    /// The attempt.
    pub attempt: AttemptId,
    /// The text; bytes that are no UTF-8 are replaced.
    pub text: String,
    /// Whether the output of this attempt was deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub purged: bool,
    /// Read on here; absent at the end of what is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// Parameters of `output.subscribe`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubscribeOutputParams {
    /// Which session.
    pub target: Target,
    /// Only this round of the current goal; absent: whatever runs, from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<Round>,
    /// Attempts that started after this position too, though they may be over: for whoever follows the log from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Position>,
}

/// What an attempt printed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputChunk {
    /// The attempt.
    pub attempt: AttemptId,
    /// The text; bytes that are no UTF-8 are replaced.
    pub text: String,
}

/// An attempt prints no more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputEnd {
    /// The attempt.
    pub attempt: AttemptId,
}
