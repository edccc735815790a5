//! The head row of a session: where its chain ends, and which attempt is open.

use super::chain::ChainHash;
use super::error::StoreError;
use goald_schema::event::Event;
use goald_schema::id::SessionId;
use rusqlite::{Connection, OptionalExtension as _, params};

/// Where a session's chain ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Head {
    /// The number of its last event.
    pub seq: i64,
    /// That event's hash.
    pub hash: ChainHash,
    /// The attempt that was started and has not ended.
    pub open_attempt: Option<[u8; 16]>,
}

impl Head {
    /// Follows the one fact that is kept beside the chain.
    pub fn note(&mut self, event: &Event) {
        match event {
            Event::AttemptStarted(started) => self.open_attempt = Some(started.attempt.as_uuid().into_bytes()),
            Event::AttemptEnded(ended) if self.open_attempt == Some(ended.attempt.as_uuid().into_bytes()) => {
                self.open_attempt = None;
            }
            _ => {}
        }
    }
}

/// The head row of a session, if it has one.
pub(super) fn read(connection: &Connection, session: SessionId) -> Result<Option<Head>, StoreError> {
    let head = connection
        .prepare_cached("SELECT seq, hash, open_attempt FROM heads WHERE session = ?1")?
        .query_row([session.as_uuid().into_bytes()], |row| {
            Ok(Head { seq: row.get(0)?, hash: row.get(1)?, open_attempt: row.get(2)? })
        })
        .optional()?;
    Ok(head)
}

/// Writes it, in the transaction of the events that it follows.
pub(super) fn write(connection: &Connection, session: SessionId, head: &Head) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO heads (session, seq, hash, open_attempt) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session) DO UPDATE SET
                 seq = excluded.seq, hash = excluded.hash, open_attempt = excluded.open_attempt",
        )?
        .execute(params![session.as_uuid().into_bytes(), head.seq, head.hash, head.open_attempt])?;
    Ok(())
}
