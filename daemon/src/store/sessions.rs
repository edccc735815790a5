//! Which sessions there are, without replaying any.

use super::chain::{Chain, START};
use super::error::StoreError;
use super::row::{Stored, record_from, select_events, session_from};
use goald_schema::event::{Event, SessionOpened};
use goald_schema::id::SessionId;
use rusqlite::Connection;
use serde::Deserialize;
use std::collections::BTreeSet;

/// A session as its first event says, or as much of it as can be told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Listed {
    /// It can be used, as far as its first event is concerned.
    Opened(SessionOpened),
    /// Its first event is missing or not what was written.
    Damaged {
        /// Workspace and name, where they can still be read. A guess for people and lists: nothing is done in it.
        place: Option<(String, String)>,
        /// What does not fit.
        error: StoreError,
    },
}

/// See [`super::Store::sessions`].
pub(super) fn listed(connection: &Connection) -> Result<Vec<(SessionId, Listed)>, StoreError> {
    let mut beheaded = without_first(connection)?;
    let mut statement = connection.prepare_cached(select_events!("WHERE seq = 1 ORDER BY position"))?;
    let mut rows = statement.query([])?;
    let mut sessions = Vec::new();
    let mut chain = Chain::default();
    while let Some(row) = rows.next()? {
        // A session is only taken for what it says if it is what was written: else it could stand in another's place.
        let record = record_from(row).and_then(|record| {
            let whole = Stored::read(row).is_ok_and(|stored| chain.hash(&START, &stored.link) == stored.hash);
            let changed = || StoreError::damaged(record.session, Some(record.position), "its first event was changed");
            if whole { Ok(record) } else { Err(changed()) }
        });
        let id = match &record {
            Ok(record) => record.session,
            Err(StoreError::Damaged { session, .. }) => *session,
            Err(error) => return Err(error.clone()),
        };
        beheaded.remove(id.as_uuid().as_bytes().as_slice());
        let listed = match record {
            Ok(record) => match record.event {
                Event::SessionOpened(opened) => Listed::Opened(opened),
                other => {
                    let what = format!("its first event is {}, not its opening", other.kind());
                    let error = StoreError::damaged(id, Some(record.position), what);
                    Listed::Damaged { place: None, error }
                }
            },
            Err(error) => Listed::Damaged { place: row.get_ref("data")?.as_str().ok().and_then(place), error },
        };
        sessions.push((id, listed));
    }
    for session in &beheaded {
        let id = session_from(session)?;
        let error = StoreError::damaged(id, None, "its first event is missing");
        sessions.push((id, Listed::Damaged { place: None, error }));
    }
    Ok(sessions)
}

/// Sessions that have a head row: those of them that turn out to have no first event.
fn without_first(connection: &Connection) -> Result<BTreeSet<Vec<u8>>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT session FROM heads")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Workspace and name, from an event that does not decode as a whole.
fn place(data: &str) -> Option<(String, String)> {
    #[derive(Deserialize)]
    struct Place {
        workspace: String,
        name: String,
    }
    serde_json::from_str(data).ok().map(|Place { workspace, name }| (workspace, name))
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
