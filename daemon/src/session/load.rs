//! From a session's events to its state: strict replay.

use crate::store::{Store, StoreError};
use goald_core::decide::Fact;
use goald_core::{State, evolve};
use goald_schema::event::EventRecord;
use goald_schema::id::SessionId;
use goald_schema::number::{Position, Seq};

/// A session as its log says.
#[derive(Default, Debug)]
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
    let mut loaded = Loaded::default();
    store.replay(session, Seq(0), &mut |record| loaded.follow(record))?;
    Ok(loaded)
}

/// A session as these events say: all that it has, in order.
///
/// # Errors
/// [`StoreError::Damaged`]: an event cannot follow on the one before it.
pub fn fold(records: &[EventRecord]) -> Result<Loaded, StoreError> {
    let mut loaded = Loaded::default();
    for record in records {
        loaded.follow(record.clone())?;
    }
    Ok(loaded)
}

impl Loaded {
    /// Takes one more event, if it can follow.
    ///
    /// # Errors
    /// [`StoreError::Damaged`].
    pub fn follow(&mut self, record: EventRecord) -> Result<(), StoreError> {
        let EventRecord { session, position, at, actor, event, .. } = record;
        evolve(&mut self.state, &Fact { actor, event }, at).map_err(|illegal| StoreError::Damaged {
            session,
            position: Some(position),
            what: illegal.to_string(),
        })?;
        self.position = position;
        Ok(())
    }
}
