//! From a stored row to an event.

use super::StoreError;
use super::chain::{Columns, Hash};
use goald_schema::event::{Event, EventRecord};
use goald_schema::id::{EventId, SessionId};
use goald_schema::number::{Position, Seq};
use goald_schema::{Actor, Timestamp, Via};
use rusqlite::Row;
use uuid::Uuid;

/// The columns of every query that reads events, in the order that [`Stored::read`] takes them.
pub const COLUMNS: &str = "position, id, session, seq, at, actor, via, type, version, data, hash";

/// A row as it is stored.
#[derive(Debug)]
pub struct Stored {
    pub position: i64,
    id: [u8; 16],
    session: [u8; 16],
    pub seq: i64,
    at: i64,
    actor: String,
    via: String,
    kind: String,
    version: i64,
    data: String,
    pub hash: Hash,
}

impl Stored {
    pub fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            position: row.get(0)?,
            id: row.get(1)?,
            session: row.get(2)?,
            seq: row.get(3)?,
            at: row.get(4)?,
            actor: row.get(5)?,
            via: row.get(6)?,
            kind: row.get(7)?,
            version: row.get(8)?,
            data: row.get(9)?,
            hash: row.get(10)?,
        })
    }

    /// As it is hashed.
    pub fn columns(&self) -> Columns<'_> {
        Columns {
            id: &self.id,
            session: &self.session,
            seq: self.seq,
            at: self.at,
            actor: &self.actor,
            via: &self.via,
            kind: &self.kind,
            version: self.version,
            data: &self.data,
        }
    }

    /// As an event; strict.
    pub fn decode(self) -> Result<EventRecord, StoreError> {
        let session = SessionId::from_uuid(Uuid::from_bytes(self.session));
        let position = Position(u64::try_from(self.position).unwrap_or(0));
        let damaged = |what: String| StoreError::Damaged { session, position: Some(position), what };
        let version = u32::try_from(self.version).map_err(|_| damaged(format!("version {}", self.version)))?;
        let event = Event::decode(&self.kind, version, &self.data).map_err(|error| damaged(error.to_string()))?;
        let actor: Actor = serde_json::from_str(&self.actor).map_err(|error| damaged(format!("its actor: {error}")))?;
        let via: Via = serde_json::from_value(serde_json::Value::String(self.via))
            .map_err(|error| damaged(format!("its door: {error}")))?;
        let at = Timestamp::from_millis(self.at).map_err(|error| damaged(error.to_string()))?;
        let seq = u64::try_from(self.seq).map_err(|_| damaged(format!("number {}", self.seq)))?;
        Ok(EventRecord {
            position,
            id: EventId::from_uuid(Uuid::from_bytes(self.id)),
            session,
            seq: Seq(seq),
            at,
            actor,
            via,
            event,
            version,
            hash: blake3::Hash::from_bytes(self.hash).to_hex().to_string(),
        })
    }
}
