//! Which sessions there are, without replaying any.

use super::error::StoreError;
use super::row::{record_from, select_events, session_from};
use goald_schema::event::{Event, SessionOpened};
use goald_schema::id::SessionId;
use rusqlite::Connection;

/// See [`super::Store::sessions`].
pub(super) fn opened(connection: &Connection) -> Result<Vec<(SessionId, SessionOpened)>, StoreError> {
    let mut statement = connection.prepare_cached(select_events!("WHERE seq = 1 ORDER BY position"))?;
    let mut rows = statement.query([])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        let record = record_from(row)?;
        match record.event {
            Event::SessionOpened(opened) => sessions.push((record.session, opened)),
            other => {
                let what = format!("its first event is {}, not its opening", other.kind());
                return Err(StoreError::damaged(record.session, Some(record.position), what));
            }
        }
    }
    Ok(sessions)
}

/// See [`super::Store::open_attempts`].
pub(super) fn with_open_attempt(connection: &Connection) -> Result<Vec<SessionId>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT session FROM heads WHERE open_attempt IS NOT NULL ORDER BY session")?;
    let mut rows = statement.query([])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        let session: [u8; 16] = row.get(0)?;
        sessions.push(session_from(&session)?);
    }
    Ok(sessions)
}
