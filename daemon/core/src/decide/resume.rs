//! `resume`: from paused, blocked, or active and disarmed, to active and armed. A human's resets counts, never rounds,
//! tokens, money or time; an agent's or policy's resets nothing.

use super::change::{current, fact, moved, wrong_phase};
use super::{Decided, Decision, Fact};
use crate::authority::Role;
use crate::command::Context;
use crate::live::Live;
use crate::state::{Current, State};
use goald_schema::actor::Actor;
use goald_schema::event::{Event, GoalChange, PauseWithdrawn};
use goald_schema::goal::{GoalRef, Phase};
use goald_schema::{ErrorCode, WireError};

pub(super) fn decide(
    state: &State,
    live: &Live,
    reference: GoalRef,
    role: Role,
    actor: &Actor,
    context: &Context<'_>,
) -> Decided {
    let goal = current(state, reference)?;
    if goal.is_complete() {
        return Err(wrong_phase(goal, "resumed"));
    }
    if live.stopping {
        return Err(WireError::new(ErrorCode::Stopping, "the daemon is stopping").hint("try again in a moment"));
    }
    if live.is_armed() {
        if goal.pause_requested {
            let event = Event::PauseWithdrawn(PauseWithdrawn { reference: goal.goal.reference() });
            return Ok(Decision::accept(vec![Fact { actor: actor.clone(), event }]));
        }
        return Err(WireError::new(ErrorCode::AlreadyArmed, "the goal is being worked on already")
            .hint("goal follow shows it; goal pause stops it"));
    }
    check_limits(state, goal, role)?;
    Ok(Decision::accept(vec![fact(actor, GoalChange::Resume(moved(goal, Phase::Active, context)))]))
}

/// A spent limit refuses, unless something is left to do within it: a turn to be checked, a round to be continued.
fn check_limits(state: &State, goal: &Current, role: Role) -> Result<(), WireError> {
    let content = goal.goal.content_revision;
    let open = goal.round.as_ref().filter(|open| open.content_revision == content);
    let rounds_spent = goal.rounds_started >= goal.goal.max_goal_rounds;
    if rounds_spent && open.is_none() && state.unverified.is_none() {
        let more = goal.rounds_started.saturating_add(1);
        return Err(WireError::new(
            ErrorCode::LimitSpent,
            format!("all {} rounds are used up", goal.goal.max_goal_rounds),
        )
        .hint(format!("raise the limit first: goal edit --max-rounds {more} (or more), then goal resume")));
    }
    let failures = open.map_or(0, |open| open.failures);
    if role != Role::Human && failures >= goal.goal.policy.max_attempts {
        return Err(WireError::new(ErrorCode::LimitSpent, format!("the round failed {failures} times"))
            .hint("a person's goal resume resets the count"));
    }
    Ok(())
}
