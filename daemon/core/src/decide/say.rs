//! `say`: a human's message waits for its turn. Opens the session where there is none.

use super::{Decided, Decision, Fact};
use crate::live::Live;
use crate::state::State;
use goald_schema::actor::Actor;
use goald_schema::event::{Event, MessageQueued, SessionOpened};
use goald_schema::id::{BlobHash, MessageId};
use goald_schema::{ErrorCode, WireError};

/// At most this many messages wait in one session.
pub const MAX_QUEUED: usize = 100;

pub(super) fn decide(
    state: &State,
    live: &Live,
    message: MessageId,
    text: BlobHash,
    open: SessionOpened,
    actor: &Actor,
) -> Decided {
    if live.stopping {
        return Err(WireError::new(ErrorCode::Stopping, "the daemon is stopping").hint("try again in a moment"));
    }
    if state.queue.len() >= MAX_QUEUED {
        return Err(WireError::new(ErrorCode::InvalidValue, format!("{MAX_QUEUED} messages wait already"))
            .hint("goal resume lets them be delivered"));
    }
    let mut facts = Vec::new();
    if state.opened.is_none() {
        facts.push(Fact { actor: actor.clone(), event: Event::SessionOpened(open) });
    }
    facts.push(Fact { actor: actor.clone(), event: Event::MessageQueued(MessageQueued { message, text }) });
    Ok(Decision::accept(facts))
}
