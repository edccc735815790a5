//! `clear`: from any phase to none. With no goal it stops a running message turn, or does nothing.

use super::change::current;
use super::create::clear_facts;
use super::{Decided, Decision, Fact};
use crate::command::Context;
use crate::live::Live;
use crate::state::State;
use goald_schema::actor::Actor;
use goald_schema::event::{CancelCause, Event, Turn, TurnStopped};
use goald_schema::goal::GoalRef;
use goald_schema::id::AttemptId;

pub(super) fn decide(
    state: &State,
    live: &Live,
    reference: Option<GoalRef>,
    actor: &Actor,
    context: &Context<'_>,
) -> Decided {
    match (&state.current, reference) {
        (None, _) => Ok(stop_turn(state, live, CancelCause::Clear, actor).unwrap_or_else(Decision::unchanged)),
        (Some(goal), None) => Err(super::change::stale(&goal.goal, goal.goal.reference())
            .hint("a goal was created meanwhile: look at goal status")),
        (Some(_), Some(seen)) => {
            let last = current(state, seen)?.goal.reference();
            Ok(Decision::accept(clear_facts(state, last, actor, context)))
        }
    }
}

/// Stops a message turn that runs or is permitted; none where there is nothing to stop.
pub(super) fn stop_turn(state: &State, live: &Live, cause: CancelCause, actor: &Actor) -> Option<Decision> {
    let attempt = running_messages(state);
    let waits = live.permit.turn && !state.queue.is_empty();
    (attempt.is_some() || waits || live.permit.check).then(|| {
        let event = Event::TurnStopped(TurnStopped { attempt, cause });
        Decision::accept(vec![Fact { actor: actor.clone(), event }])
    })
}

/// The attempt of a message turn that runs and was not stopped yet.
pub(super) fn running_messages(state: &State) -> Option<AttemptId> {
    let open = state.attempt.as_ref()?;
    (matches!(open.started.turn, Turn::Messages { .. }) && !open.stopped).then(|| open.id())
}
