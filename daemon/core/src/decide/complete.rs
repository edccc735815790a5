//! `complete`: a human's word, from any phase but complete. Recorded as an override where criteria are not known to hold.

use super::change::{completed, current, wrong_phase};
use super::clear::running_messages;
use super::{Decided, Decision, Fact};
use crate::command::Context;
use crate::state::State;
use goald_schema::actor::Actor;
use goald_schema::event::{CancelCause, Event, TurnStopped};
use goald_schema::goal::{Completed, GoalRef};

pub(super) fn decide(state: &State, reference: GoalRef, actor: &Actor, context: &Context<'_>) -> Decided {
    let goal = current(state, reference)?;
    if goal.is_complete() {
        return Err(wrong_phase(goal, "completed"));
    }
    let how = if goal.goal.criteria.is_empty() { Completed::Unverified } else { Completed::Override };
    let mut facts: Vec<Fact> = stop_messages(state, CancelCause::Complete, actor).into_iter().collect();
    facts.push(completed(goal, how, actor, context));
    Ok(Decision::accept(facts))
}

/// A human's complete or block ends the running turn; one that answers messages is over with it.
pub(super) fn stop_messages(state: &State, cause: CancelCause, actor: &Actor) -> Option<Fact> {
    let attempt = Some(running_messages(state)?);
    Some(Fact { actor: actor.clone(), event: Event::TurnStopped(TurnStopped { attempt, cause }) })
}
