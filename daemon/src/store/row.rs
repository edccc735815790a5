//! How an event stands in its row: the one place that knows the columns, for writing and for reading.

use super::chain::{ChainHash, Link};
use super::error::StoreError;
use goald_schema::actor::Via;
use goald_schema::event::{EVENT_VERSION, Event, EventData, EventRecord};
use goald_schema::id::{EventId, SessionId};
use goald_schema::number::{Position, Seq};
use goald_schema::time::Timestamp;
use rusqlite::Row;
use rusqlite::types::{FromSqlResult, ValueRef};
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as ViaError, StrDeserializer};
use uuid::Uuid;

/// `SELECT` of the columns that [`Stored::read`] expects, followed by the given rest.
macro_rules! select_events {
    ($rest:literal) => {
        concat!("SELECT position, id, session, seq, at, actor, via, type, version, data, hash FROM events ", $rest)
    };
}
pub(super) use select_events;

/// An event's columns, borrowed from the row: replay copies nothing that it does not keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored<'row> {
    pub position: Position,
    pub link: Link<'row>,
    pub hash: ChainHash,
}

impl<'row> Stored<'row> {
    /// Takes the columns of a [`select_events`] row.
    ///
    /// # Errors
    /// What does not fit, in words: a column of another type, or bytes that are no UTF-8.
    pub fn read(row: &'row Row<'_>) -> Result<Self, String> {
        Ok(Self {
            position: Position(unsigned(column(row, 0, "position", ValueRef::as_i64)?, "position")?),
            link: Link {
                id: column(row, 1, "id", ValueRef::as_blob)?,
                session: column(row, 2, "session", ValueRef::as_blob)?,
                seq: column(row, 3, "seq", ValueRef::as_i64)?,
                at: column(row, 4, "at", ValueRef::as_i64)?,
                actor: column(row, 5, "actor", ValueRef::as_str)?,
                via: column(row, 6, "via", ValueRef::as_str)?,
                kind: column(row, 7, "type", ValueRef::as_str)?,
                version: column(row, 8, "version", ValueRef::as_i64)?,
                data: column(row, 9, "data", ValueRef::as_str)?,
            },
            hash: column(row, 10, "hash", ValueRef::as_blob)?
                .try_into()
                .map_err(|_| "column hash is not 32 bytes long".to_owned())?,
        })
    }

    /// Decodes the columns strictly. Checks no hash.
    ///
    /// # Errors
    /// What cannot be understood, in words.
    pub fn decode(&self) -> Result<EventRecord, String> {
        let version =
            u32::try_from(self.link.version).map_err(|_| format!("column version is {}", self.link.version))?;
        Ok(EventRecord {
            position: self.position,
            id: EventId::from_uuid(uuid(self.link.id, "id")?),
            session: SessionId::from_uuid(uuid(self.link.session, "session")?),
            seq: Seq(unsigned(self.link.seq, "seq")?),
            at: Timestamp::from_millis(self.link.at).map_err(|error| format!("column at: {error}"))?,
            actor: serde_json::from_str(self.link.actor).map_err(|error| format!("column actor: {error}"))?,
            via: via_from(self.link.via)?,
            event: Event::decode(self.link.kind, version, self.link.data).map_err(|error| error.to_string())?,
            version,
            hash: hex(&self.hash),
        })
    }
}

fn column<'row, T>(
    row: &'row Row<'_>,
    index: usize,
    name: &str,
    take: impl FnOnce(&ValueRef<'row>) -> FromSqlResult<T>,
) -> Result<T, String> {
    let value = row.get_ref(index).map_err(|error| format!("column {name}: {error}"))?;
    take(&value).map_err(|error| format!("column {name}: {error}"))
}

fn unsigned(number: i64, name: &str) -> Result<u64, String> {
    u64::try_from(number).map_err(|_| format!("column {name} is {number}"))
}

fn uuid(bytes: &[u8], name: &str) -> Result<Uuid, String> {
    Uuid::from_slice(bytes).map_err(|error| format!("column {name}: {error}"))
}

fn hex(hash: &ChainHash) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().as_str().to_owned()
}

/// The session that a column names.
pub(super) fn session_from(bytes: &[u8]) -> Result<SessionId, StoreError> {
    uuid(bytes, "session").map(SessionId::from_uuid).map_err(|what| StoreError::Corrupt { what })
}

/// Reads and decodes one [`select_events`] row.
///
/// # Errors
/// [`StoreError::Damaged`]; [`StoreError::Corrupt`] if not even the session can be told.
pub(super) fn record_from(row: &Row<'_>) -> Result<EventRecord, StoreError> {
    let stored = match Stored::read(row) {
        Ok(stored) => stored,
        // Another column than the session's: the damage is that session's alone.
        Err(what) => {
            let session =
                column(row, 2, "session", ValueRef::as_blob).map_err(|_| StoreError::Corrupt { what: what.clone() })?;
            let position = row.get_ref(0)?.as_i64().ok().and_then(|position| u64::try_from(position).ok());
            return Err(StoreError::damaged(session_from(session)?, position.map(Position), what));
        }
    };
    let session = session_from(stored.link.session)?;
    stored.decode().map_err(|what| StoreError::damaged(session, Some(stored.position), what))
}

/// The stored name of a door, the same as in JSON.
const fn via_name(via: Via) -> &'static str {
    match via {
        Via::Cli => "cli",
        Via::Mcp => "mcp",
        Via::Hook => "hook",
        Via::Timer => "timer",
        Via::Daemon => "daemon",
    }
}

fn via_from(name: &str) -> Result<Via, String> {
    let name: StrDeserializer<'_, ViaError> = name.into_deserializer();
    Via::deserialize(name).map_err(|error| format!("column via: {error}"))
}

/// An event's columns, owned, on their way into the log.
#[derive(Debug)]
pub(super) struct Columns {
    id: [u8; 16],
    session: [u8; 16],
    seq: i64,
    at: i64,
    actor: String,
    via: &'static str,
    kind: &'static str,
    data: String,
}

impl Columns {
    /// Encodes an event for its place in a session.
    ///
    /// # Errors
    /// [`StoreError::Encode`].
    pub fn encode(session: SessionId, seq: Seq, data: &EventData) -> Result<Self, StoreError> {
        let failed = |what: String| StoreError::Encode { id: data.id, what };
        Ok(Self {
            id: data.id.as_uuid().into_bytes(),
            session: session.as_uuid().into_bytes(),
            seq: i64::try_from(seq.get()).map_err(|error| failed(error.to_string()))?,
            at: data.at.millis(),
            actor: serde_json::to_string(&data.actor).map_err(|error| failed(error.to_string()))?,
            via: via_name(data.via),
            kind: data.event.kind(),
            data: data.event.encode().map_err(|error| failed(error.to_string()))?,
        })
    }

    /// What the hash covers.
    pub fn link(&self) -> Link<'_> {
        Link {
            id: &self.id,
            session: &self.session,
            seq: self.seq,
            at: self.at,
            actor: &self.actor,
            via: self.via,
            kind: self.kind,
            version: i64::from(EVENT_VERSION),
            data: &self.data,
        }
    }
}

/// The record of an event that has just got its row.
pub(super) fn record(
    session: SessionId,
    seq: Seq,
    position: Position,
    hash: &ChainHash,
    data: EventData,
) -> EventRecord {
    EventRecord {
        position,
        id: data.id,
        session,
        seq,
        at: data.at,
        actor: data.actor,
        via: data.via,
        event: data.event,
        version: EVENT_VERSION,
        hash: hex(hash),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_door_is_stored_by_its_name_in_json_and_read_back() {
        for via in [Via::Cli, Via::Mcp, Via::Hook, Via::Timer, Via::Daemon] {
            assert_eq!(serde_json::to_value(via).expect("encodes"), via_name(via));
            assert_eq!(via_from(via_name(via)), Ok(via));
        }
        assert!(via_from("window").is_err());
    }
}
