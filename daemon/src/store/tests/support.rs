//! A store in a temporary folder, and events to put into it.

use super::super::{Append, Blob, SqliteStore, Store as _, StoreError};
use goald_schema::actor::{Actor, Via};
use goald_schema::event::{Event, EventData, EventRecord};
use goald_schema::id::{EventId, SessionId};
use goald_schema::number::Seq;
use goald_schema::time::Timestamp;
use rusqlite::Connection;
use std::path::PathBuf;
use tempfile::TempDir;
use uuid::Uuid;

/// A store and the folder it lives in.
pub struct Fixture {
    pub store: Option<SqliteStore>,
    folder: TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        let mut fixture = Self::closed();
        fixture.reopen();
        fixture
    }

    /// The folder alone.
    pub fn closed() -> Self {
        Self { store: None, folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("goald.db")
    }

    pub fn store(&self) -> &SqliteStore {
        self.store.as_ref().unwrap()
    }

    pub fn reopen(&mut self) {
        self.close();
        self.store = Some(SqliteStore::open(&self.path()).unwrap());
    }

    pub fn close(&mut self) {
        self.store = None;
    }

    /// A connection of somebody else's.
    pub fn raw(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    /// A connection of somebody who has removed what keeps events from being changed.
    pub fn vandal(&self) -> Connection {
        let raw = self.raw();
        raw.execute_batch(
            "DROP TRIGGER events_are_never_changed;
             DROP TRIGGER events_are_never_deleted;
             DROP TRIGGER blobs_are_never_changed;",
        )
        .unwrap();
        raw
    }

    /// Appends and waits.
    pub fn append(&self, append: Append) -> Result<Vec<EventRecord>, StoreError> {
        self.store().append(append).wait()
    }
}

pub fn session() -> SessionId {
    SessionId::from_uuid(Uuid::now_v7())
}

pub fn event_id() -> EventId {
    EventId::from_uuid(Uuid::now_v7())
}

/// An event of the given type from its data in JSON.
pub fn event(kind: &str, data: &str) -> EventData {
    EventData {
        id: event_id(),
        at: Timestamp::from_millis(1_764_564_963_007).unwrap(),
        actor: Actor::Human,
        via: Via::Cli,
        event: Event::decode(kind, 1, data).unwrap(),
    }
}

/// An event that says nothing but its text.
pub fn refusal(why: &str) -> EventData {
    let data = serde_json::json!({ "operation": "edit-other", "why": why });
    event("authority/refused", &data.to_string())
}

/// `events` for a session whose last event is `expected`.
pub fn append_of(session: SessionId, expected: u64, events: Vec<EventData>) -> Append {
    Append { session, expected: Seq(expected), events, blobs: Vec::new() }
}

/// One small event.
pub fn small(session: SessionId, expected: u64) -> Append {
    append_of(session, expected, vec![event("permission/suspended", "{}")])
}

/// One small event with a blob of so many bytes.
pub fn with_blob(session: SessionId, expected: u64, bytes: usize) -> Append {
    let seed = session.as_uuid().into_bytes();
    Append { blobs: vec![Blob::new(seed.iter().copied().cycle().take(bytes).collect())], ..small(session, expected) }
}

/// How many rows a table has.
pub fn count(raw: &Connection, table: &str) -> i64 {
    raw.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}
