//! From a session's events to its state: strict replay.

use crate::store::{Store, StoreError};
use goald_core::decide::Fact;
use goald_core::{State, evolve};
use goald_schema::id::SessionId;
use goald_schema::number::{Position, Seq};

/// A session as its log says.
#[derive(Debug)]
pub struct Loaded {
    /// The durable state.
    pub state: State,
    /// The position of its last event.
    pub position: Position,
}

/// Replays a session. Blocking.
///
/// # Errors
/// [`StoreError`]: the log cannot be read, its chain is broken, or an event cannot follow on the one before it. Nothing
/// is guessed.
pub fn load(store: &dyn Store, session: SessionId) -> Result<Loaded, StoreError> {
    let mut loaded = Loaded { state: State::default(), position: Position(0) };
    store.replay(session, Seq(0), &mut |record| {
        let fact = Fact { actor: record.actor, event: record.event };
        evolve(&mut loaded.state, &fact, record.at).map_err(|illegal| StoreError::Damaged {
            session,
            position: Some(record.position),
            what: illegal.to_string(),
        })?;
        loaded.position = record.position;
        Ok(())
    })?;
    Ok(loaded)
}
