//! From a session's events to its state: strict replay.

use crate::store::{Store, StoreError};
use goald_core::decide::Fact;
use goald_core::{State, evolve};
use goald_schema::event::EventRecord;
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
    store.replay(session, Seq(0), &mut |record| loaded.step(session, record))?;
    Ok(loaded)
}

/// A session as these events say: all that it has, in order.
///
/// # Errors
/// [`StoreError::Damaged`]: an event cannot follow on the one before it.
pub fn fold(session: SessionId, records: &[EventRecord]) -> Result<Loaded, StoreError> {
    let mut loaded = Loaded { state: State::default(), position: Position(0) };
    for record in records {
        loaded.step(session, record.clone())?;
    }
    Ok(loaded)
}

impl Loaded {
    fn step(&mut self, session: SessionId, record: EventRecord) -> Result<(), StoreError> {
        let EventRecord { position, at, actor, event, .. } = record;
        evolve(&mut self.state, &Fact { actor, event }, at).map_err(|illegal| StoreError::Damaged {
            session,
            position: Some(position),
            what: illegal.to_string(),
        })?;
        self.position = position;
        Ok(())
    }
}
