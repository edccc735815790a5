//! The envelope of an event.

use crate::actor::{Actor, Via};
use crate::event::Event;
use crate::id::{EventId, SessionId};
use crate::number::{Position, Seq};
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An event before it has a place in the log: what `decide` answers, completed by the shell's ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventData {
    /// Makes a repeated append recognisable.
    pub id: EventId,
    /// Raw clock reading.
    pub at: Timestamp,
    /// Who caused it.
    pub actor: Actor,
    /// By which door.
    pub via: Via,
    /// What happened.
    pub event: Event,
}

/// One event of the log with its envelope; `goal log --json` prints one a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventRecord {
    /// Its place in the log as a whole.
    pub position: Position,
    /// Its id.
    pub id: EventId,
    /// Whose event it is.
    pub session: SessionId,
    /// Its number in that session, without gaps.
    pub seq: Seq,
    /// Raw clock reading.
    pub at: Timestamp,
    /// Who caused it.
    pub actor: Actor,
    /// By which door.
    pub via: Via,
    /// Type and data.
    #[serde(flatten)]
    pub event: Event,
    /// The version it was stored in.
    pub version: u32,
    /// BLAKE3 over the hash before it in its session and the stored bytes, in hexadecimal.
    pub hash: String,
}
