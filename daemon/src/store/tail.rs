//! Following the log by position.

use super::error::StoreError;
use super::row::{record_from, select_events};
use goald_schema::event::EventRecord;
use goald_schema::id::SessionId;
use goald_schema::number::Position;
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Params, params};

/// See [`super::Store::tail`].
pub(super) fn read(
    connection: &Connection,
    after: Position,
    session: Option<SessionId>,
    limit: usize,
) -> Result<Vec<EventRecord>, StoreError> {
    // Beyond what SQLite can count there is nothing, and no limit.
    let after = i64::try_from(after.get()).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    match session {
        None => {
            let all = select_events!("WHERE position > ?1 ORDER BY position LIMIT ?2");
            records(connection.prepare_cached(all)?, params![after, limit])
        }
        Some(session) => {
            let session = session.as_uuid().into_bytes();
            let seq = seq_at(connection, &session, after)?;
            let one = select_events!("WHERE session = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3");
            records(connection.prepare_cached(one)?, params![session, seq, limit])
        }
    }
}

/// The last event of a session up to a position. In a session positions grow with the numbers, and the index of the
/// numbers holds the positions too: a follower near the end finds its place in a step or two, without another index.
fn seq_at(connection: &Connection, session: &[u8; 16], position: i64) -> Result<i64, StoreError> {
    let found: Option<i64> = connection
        .prepare_cached("SELECT seq FROM events WHERE session = ?1 AND position <= ?2 ORDER BY seq DESC LIMIT 1")?
        .query_row(params![session, position], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

fn records(mut statement: CachedStatement<'_>, params: impl Params) -> Result<Vec<EventRecord>, StoreError> {
    let mut rows = statement.query(params)?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(record_from(row)?);
    }
    Ok(records)
}
