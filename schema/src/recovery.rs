//! What a recovery got out of a damaged log, and everything that it did not.

use crate::id::{BlobHash, SessionId};
use crate::number::{Position, Seq};
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The report of one recovery.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recovery {
    /// Every session of which anything was seen, also those of which nothing could be recovered.
    pub sessions: Vec<RecoveredSession>,
    /// How many events stand in the new file.
    pub events: u64,
    /// The newest position in the new file, 0 for none.
    pub newest: Position,
    /// The newest position that was ever acknowledged, where the file beside the log still says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<Position>,
    /// Positions up to the newest known one that are not in the new file. Some may never have been given out.
    pub unaccounted: Vec<PositionRange>,
    /// How many texts beside the log stand in the new file.
    pub blobs: u64,
    /// Texts that recovered events name and that were not found, or not with the right bytes.
    pub missing_blobs: Vec<MissingBlob>,
    /// How many texts were found that no recovered event names: they are left out.
    pub unnamed_blobs: u64,
    /// What was seen of the damage, in words, and what kept the search from being complete.
    pub notes: Vec<String>,
}

/// One session as far as it was recovered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecoveredSession {
    /// Its id.
    pub session: SessionId,
    /// Its folder, where its first event was recovered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Its name, where its first event was recovered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many events were recovered: these are the first ones, without a gap.
    pub events: u64,
    /// The place of the last of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_position: Option<Position>,
    /// When the last of them happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<Timestamp>,
    /// The last event that it had at least, by its head row; absent where that is gone too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Seq>,
    /// What is known to be gone or cannot be proven; absent where nothing is known to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<SeqRange>,
    /// Events behind the first missing one that were seen, but cannot be proven to be what was written: left out.
    pub unproven: Vec<Unproven>,
    /// Why it ends where it does; absent where nothing is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
}

/// Events of a session, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SeqRange {
    /// The first.
    pub first: Seq,
    /// The last that is known of.
    pub last: Seq,
}

/// Places of the log, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PositionRange {
    /// The first.
    pub first: Position,
    /// The last.
    pub last: Position,
}

/// Neighbouring events that were seen and are not in the new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unproven {
    /// How many.
    pub count: u64,
    /// Their numbers in the session.
    pub seqs: SeqRange,
    /// Where they stood.
    pub positions: PositionRange,
}

/// A text that is named and not there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MissingBlob {
    /// Its name.
    pub hash: BlobHash,
    /// The first recovered event that names it.
    pub position: Position,
    /// Whose event that is.
    pub session: SessionId,
    /// Whether something with its name was seen, with other bytes.
    pub damaged: bool,
    /// Whether the goal was over later, so that it may as well have been purged: a purge leaves no mark.
    pub may_be_purged: bool,
}
