//! `create`: from no goal, or a complete one; with `replaces`, from an unfinished one.

use super::change::{fact, stale};
use super::{Decided, Decision, Fact};
use crate::authority::Role;
use crate::command::{Context, Create};
use crate::live::Live;
use crate::state::State;
use goald_schema::actor::Actor;
use goald_schema::criterion::Criterion;
use goald_schema::event::{Event, GoalChange, GoalCleared, GoalSet, TurnStopped};
use goald_schema::goal::{Goal, Limits, Phase, Policy};
use goald_schema::number::Revision;
use goald_schema::{ErrorCode, WireError};

pub(super) fn decide(
    state: &State,
    live: &Live,
    create: Create,
    role: Role,
    actor: &Actor,
    context: &Context<'_>,
) -> Decided {
    if live.stopping {
        return Err(WireError::new(ErrorCode::Stopping, "the daemon is stopping").hint("try again in a moment"));
    }
    let objective = create.objective.admit()?;
    let max_goal_rounds = bound(create.max_rounds, role, context)?;
    if role != Role::Human && !create.criteria.is_empty() {
        return Err(
            WireError::new(ErrorCode::NotPermitted, "an agent may not set criteria").hint("leave them to the person")
        );
    }
    if role != Role::Human && create.limits != Limits::default() {
        return Err(
            WireError::new(ErrorCode::NotPermitted, "an agent may not set limits").hint("leave them to the person")
        );
    }
    if role != Role::Human && !create.workspace_use.is_alone() {
        return Err(WireError::new(ErrorCode::NotPermitted, "an agent may not share the workspace")
            .hint("leave that to the person: goal create --share-workspace"));
    }
    check_criteria(&create.criteria)?;
    let mut facts = Vec::new();
    if state.opened.is_none() {
        facts.push(Fact { actor: actor.clone(), event: Event::SessionOpened(create.open.clone()) });
    }
    if let Some(current) = state.current.as_ref().filter(|current| !current.is_complete()) {
        match create.replaces {
            None => {
                return Err(WireError::new(
                    ErrorCode::UnfinishedGoal,
                    format!("an unfinished goal is current ({})", current.goal.phase.name().as_str()),
                )
                .hint("change it with goal edit, take it away with goal clear, or use --replace"));
            }
            Some(seen) if seen != current.goal.reference() => return Err(stale(&current.goal, seen)),
            Some(_) => facts.extend(clear_facts(state, current.goal.reference(), actor, context)),
        }
    }
    if state.used_goals.contains(&create.id) {
        return Err(WireError::new(ErrorCode::InvalidValue, "this goal id was used before"));
    }
    let goal = Goal {
        id: create.id,
        revision: Revision::FIRST,
        content_revision: Revision::FIRST,
        objective,
        phase: Phase::Active,
        max_goal_rounds,
        criteria: create.criteria,
        limits: create.limits,
        policy: Policy { workspace_use: create.workspace_use, ..context.policy.clone() },
        agent: create.open.profile,
    };
    let (created_at, updated_at) = (context.now.wall, context.now.wall);
    facts.push(fact(actor, GoalChange::Create(GoalSet { goal, rounds_started: 0, created_at, updated_at })));
    Ok(Decision::accept(facts))
}

/// The facts that take the current goal away: its tombstone, and the end of a message turn that runs.
pub(super) fn clear_facts(
    state: &State,
    last: goald_schema::GoalRef,
    actor: &Actor,
    context: &Context<'_>,
) -> Vec<Fact> {
    let stopped = super::clear::running_messages(state).map(|attempt| {
        let cause = goald_schema::event::CancelCause::Clear;
        Event::TurnStopped(TurnStopped { attempt: Some(attempt), cause })
    });
    let tombstone = Event::GoalChange(GoalChange::Clear(GoalCleared::of(last, context.now.wall)));
    // An agent never clears, so a turn that is stopped here is never the caller's own.
    stopped.into_iter().chain([tombstone]).map(|event| Fact { actor: actor.clone(), event }).collect()
}

fn bound(wanted: Option<u32>, role: Role, context: &Context<'_>) -> Result<u32, WireError> {
    match wanted {
        None => Ok(context.default_max_rounds),
        Some(0) => Err(not_positive()),
        Some(rounds) if role != Role::Human && rounds > context.default_max_rounds => Err(WireError::new(
            ErrorCode::NotPermitted,
            format!("an agent may only lower the bound of {} rounds", context.default_max_rounds),
        )),
        Some(rounds) => Ok(rounds),
    }
}

/// `invalid-value`.
pub(super) fn not_positive() -> WireError {
    WireError::new(ErrorCode::InvalidValue, "the number of rounds must be at least 1")
}

/// Every criterion says what is run.
pub(super) fn check_criteria(criteria: &[Criterion]) -> Result<(), WireError> {
    let empty = criteria.iter().any(|criterion| match &criterion.check {
        goald_schema::criterion::Check::Command(command) => command.run.trim().is_empty(),
    });
    if empty {
        return Err(WireError::new(ErrorCode::EmptyText, "a check is empty").hint("give a command line"));
    }
    Ok(())
}
