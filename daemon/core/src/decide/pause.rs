//! `pause`: from active, at once or at the round's end. Where no goal is active it stops a running message turn.

use super::change::{current, fact, moved, stale, wrong_phase};
use super::clear::stop_turn;
use super::{Decided, Decision, Fact};
use crate::command::Context;
use crate::live::Live;
use crate::state::{Current, State};
use goald_schema::actor::Actor;
use goald_schema::event::{CancelCause, Event, GoalChange, PauseRequested};
use goald_schema::goal::{GoalRef, Phase};
use goald_schema::protocol::pause::PauseWhen;
use goald_schema::{ErrorCode, WireError};

pub(super) fn decide(
    state: &State,
    live: &Live,
    reference: Option<GoalRef>,
    when: PauseWhen,
    actor: &Actor,
    context: &Context<'_>,
) -> Decided {
    let goal = match (&state.current, reference) {
        (Some(_), Some(seen)) => Some(current(state, seen)?),
        (Some(goal), None) => return Err(stale(&goal.goal, goal.goal.reference())),
        (None, _) => None,
    };
    // An agent's own turn goes on: it has no turn to stop.
    let stop = || (*actor == Actor::Human).then(|| stop_turn(state, live, CancelCause::Pause, actor)).flatten();
    match goal {
        Some(goal) if goal.is_active() => Ok(pause(state, live, goal, when, actor, context)),
        Some(goal) => stop().ok_or_else(|| wrong_phase(goal, "paused")),
        None => stop().ok_or_else(|| {
            WireError::new(ErrorCode::NothingToStop, "this session has no goal and no message turn runs")
                .hint("goal list shows where something runs")
        }),
    }
}

fn pause(
    state: &State,
    live: &Live,
    goal: &Current,
    when: PauseWhen,
    actor: &Actor,
    context: &Context<'_>,
) -> Decision {
    // Without a turn in progress there is no end to wait for: then it is paused at once.
    let in_progress = live.is_armed() && (state.attempt.is_some() || state.unverified.is_some());
    match when {
        PauseWhen::AfterRound if in_progress && goal.pause_requested => Decision::unchanged(),
        PauseWhen::AfterRound if in_progress => {
            let reference = goal.goal.reference();
            let event = Event::PauseRequested(PauseRequested { reference });
            Decision::accept(vec![Fact { actor: actor.clone(), event }])
        }
        PauseWhen::AfterRound | PauseWhen::Now => {
            Decision::accept(vec![fact(actor, GoalChange::Pause(moved(goal, Phase::Paused, context)))])
        }
    }
}
