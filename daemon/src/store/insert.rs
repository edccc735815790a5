//! One append inside the writer's transaction: compare, chain, insert. Commits nothing.

use super::append::{Append, AppendResult};
use super::chain::{Chain, START};
use super::error::StoreError;
use super::head::{self, Head};
use super::row::{self, Columns, record_from, select_events};
use super::{blob, replay};
use crate::crash::{self, Place};
use goald_schema::event::{EventData, EventRecord};
use goald_schema::id::{EventId, SessionId};
use goald_schema::number::{Position, Seq};
use rusqlite::{Connection, OptionalExtension as _, params};

/// Inserts the events and blobs of one append, and moves the head row.
///
/// # Errors
/// As [`super::Store::append`]; some rows may be inserted already, so the caller must roll back.
pub(super) fn append(connection: &Connection, chain: &mut Chain, append: Append) -> AppendResult {
    let Append { session, expected, events, blobs } = append;
    let mut head = head::read(connection, session)?.unwrap_or(Head { seq: 0, hash: START, open_attempt: None });
    let actual = replay::seq(session, head.seq)?;
    if actual != expected {
        return repeated(connection, session, expected, &events)?.ok_or(StoreError::Conflict { expected, actual });
    }
    for blob in &blobs {
        blob::insert(connection, blob)?;
    }
    crash::at(Place::BlobsInserted);
    let mut records = Vec::with_capacity(events.len());
    let mut seq = expected;
    for data in events {
        seq = seq.next();
        records.push(one(connection, chain, &mut head, session, seq, data)?);
    }
    if !records.is_empty() {
        head::write(connection, session, &head)?;
    }
    Ok(records)
}

fn one(
    connection: &Connection,
    chain: &mut Chain,
    head: &mut Head,
    session: SessionId,
    seq: Seq,
    data: EventData,
) -> Result<EventRecord, StoreError> {
    let columns = Columns::encode(session, seq, &data)?;
    let link = columns.link();
    let hash = chain.hash(&head.hash, &link);
    let inserted = connection
        .prepare_cached(
            "INSERT INTO events (id, session, seq, at, actor, via, type, version, data, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .insert(params![
            link.id,
            link.session,
            link.seq,
            link.at,
            link.actor,
            link.via,
            link.kind,
            link.version,
            link.data,
            hash
        ]);
    let position = match inserted {
        Ok(position) => position,
        Err(error) => return Err(explain(connection, session, data.id, error)),
    };
    let position = u64::try_from(position)
        .map(Position)
        .map_err(|_| StoreError::Corrupt { what: format!("the next position is {position}") })?;
    head.seq = link.seq;
    head.hash = hash;
    head.note(&data.event);
    Ok(row::record(session, seq, position, &hash, data))
}

/// Why an event was not accepted: its id is taken, or its place is although the head row says that it is free.
fn explain(connection: &Connection, session: SessionId, id: EventId, error: rusqlite::Error) -> StoreError {
    if error.sqlite_error_code() != Some(rusqlite::ErrorCode::ConstraintViolation) {
        return error.into();
    }
    match find(connection, id) {
        Ok(Some(_)) => StoreError::Reused { id },
        Ok(None) => StoreError::damaged(session, None, format!("its head row is not where its events end: {error}")),
        Err(error) => error,
    }
}

/// What is stored at the place an append was meant for, if it is that append's own events.
fn repeated(
    connection: &Connection,
    session: SessionId,
    expected: Seq,
    events: &[EventData],
) -> Result<Option<Vec<EventRecord>>, StoreError> {
    let mut records = Vec::with_capacity(events.len());
    let mut seq = expected;
    for data in events {
        seq = seq.next();
        match find(connection, data.id)? {
            Some(record) if record.session == session && record.seq == seq => records.push(record),
            // A first id that nobody knows: no repetition, somebody else was faster.
            None if records.is_empty() => return Ok(None),
            _ => return Err(StoreError::Reused { id: data.id }),
        }
    }
    Ok((!records.is_empty()).then_some(records))
}

/// The event with this id.
pub(super) fn find(connection: &Connection, id: EventId) -> Result<Option<EventRecord>, StoreError> {
    connection
        .prepare_cached(select_events!("WHERE id = ?1"))?
        .query_row([id.as_uuid().into_bytes()], |row| Ok(record_from(row)))
        .optional()?
        .transpose()
}
