//! `say`: a human's message waits for its turn, or interrupts what runs. Opens the session where there is none.

use super::{Decided, Decision, Fact};
use crate::command::SayWhen;
use crate::live::{CheckRun, Live};
use crate::next_step::to_verify;
use crate::state::State;
use goald_schema::actor::Actor;
use goald_schema::event::{Event, MessageQueued, SessionOpened};
use goald_schema::id::{AttemptId, BlobHash, MessageId};
use goald_schema::{ErrorCode, WireError};

/// At most this many messages wait in one session.
pub const MAX_QUEUED: usize = 100;

pub(super) fn decide(
    state: &State,
    live: &Live,
    message: MessageId,
    text: BlobHash,
    when: SayWhen,
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
    let interrupts = match when {
        SayWhen::Next => None,
        SayWhen::Now => running(state, live),
    };
    let queued = MessageQueued { message, text, interrupts };
    facts.push(Fact { actor: actor.clone(), event: Event::MessageQueued(queued) });
    Ok(Decision::accept(facts))
}

/// The attempt that runs, or the one whose turn is being checked. What is on its way out already is not cut twice: the
/// message is the next turn anyway, or waits as a stop wants it.
fn running(state: &State, live: &Live) -> Option<AttemptId> {
    if let Some(open) = &state.attempt {
        let runs = live.running == Some(open.id()) && live.cancelling.is_none() && !open.stopped;
        return runs.then(|| open.id());
    }
    let checked = to_verify(state, live).filter(|_| live.check == CheckRun::Running);
    checked.map(|turn| turn.attempt)
}
