//! What changes of a goal have in common: the ref that is checked, the snapshot that is written.

use super::Fact;
use crate::command::Context;
use crate::state::{Current, State};
use goald_schema::actor::Actor;
use goald_schema::event::{Event, GoalChange, GoalSet};
use goald_schema::goal::{BlockedReason, Completed, Goal, GoalRef, Phase};
use goald_schema::{ErrorCode, WireError};

/// The current goal, if the caller saw exactly this revision of it.
///
/// # Errors
/// `no-goal`, `stale-revision`.
pub(super) fn current(state: &State, reference: GoalRef) -> Result<&Current, WireError> {
    let current = state.current.as_ref().ok_or_else(no_goal)?;
    if current.goal.reference() == reference { Ok(current) } else { Err(stale(&current.goal, reference)) }
}

/// `no-goal`.
pub(super) fn no_goal() -> WireError {
    WireError::new(ErrorCode::NoGoal, "this session has no goal").hint("goal create OBJECTIVE sets one")
}

/// `stale-revision`, with what is current.
pub(super) fn stale(goal: &Goal, seen: GoalRef) -> WireError {
    let message = if goal.id == seen.id {
        format!("the goal is at revision {}, not {}: it changed meanwhile", goal.revision, seen.revision)
    } else {
        format!("goal {} is current at revision {}, not {}", goal.id, goal.revision, seen.id)
    };
    WireError::new(ErrorCode::StaleRevision, message).hint("look at goal status, then try again")
}

/// `wrong-phase`.
pub(super) fn wrong_phase(current: &Current, verb: &str) -> WireError {
    let phase = current.goal.phase.name().as_str();
    let hint = match current.goal.phase {
        Phase::Complete(_) => "goal create OBJECTIVE sets the next one",
        Phase::Paused | Phase::Blocked(_) => "goal resume lets it go on; goal clear takes it away",
        Phase::Active => "goal status says where it stands",
    };
    WireError::new(ErrorCode::WrongPhase, format!("the goal is {phase}: it cannot be {verb}")).hint(hint)
}

/// The goal one revision on, in another phase.
pub(super) fn moved(current: &Current, phase: Phase, context: &Context<'_>) -> GoalSet {
    let mut goal = current.goal.clone();
    goal.revision = goal.revision.next();
    goal.phase = phase;
    snapshot(current, goal, context)
}

/// A snapshot as it is written now.
pub(super) fn snapshot(current: &Current, goal: Goal, context: &Context<'_>) -> GoalSet {
    GoalSet {
        goal,
        rounds_started: current.rounds_started,
        created_at: current.created_at,
        updated_at: context.now.wall,
    }
}

/// A `goal/change`.
pub(super) fn fact(actor: &Actor, change: GoalChange) -> Fact {
    Fact { actor: actor.clone(), event: Event::GoalChange(change) }
}

/// To `blocked`.
pub(super) fn blocked(current: &Current, reason: BlockedReason, actor: &Actor, context: &Context<'_>) -> Fact {
    fact(actor, GoalChange::Block(moved(current, Phase::Blocked(reason), context)))
}

/// To `complete`: the one way in the code by which a goal gets there.
pub(super) fn completed(current: &Current, how: Completed, actor: &Actor, context: &Context<'_>) -> Fact {
    fact(actor, GoalChange::Complete(moved(current, Phase::Complete(how), context)))
}
