//! `goal/change`, `pause/requested`, `pause/withdrawn`.

use super::Step;
use crate::state::{Current, Refusal, Refusals, State};
use goald_schema::Actor;
use goald_schema::Timestamp;
use goald_schema::event::{AuthorityRefused, GoalChange, GoalSet, PauseRequested, PauseWithdrawn};
use goald_schema::goal::{Goal, GoalRef, Phase, PhaseName};
use goald_schema::number::Revision;

pub(super) fn change(state: &mut State, change: &GoalChange, actor: &Actor, at: Timestamp) -> Step {
    match change {
        GoalChange::Create(set) => create(state, set, at),
        GoalChange::Clear(cleared) => {
            let current = state.current.as_ref().ok_or("there is no goal to clear")?;
            let last = current.goal.reference();
            let expected = GoalRef { id: last.id, revision: last.revision.next() };
            if cleared.cleared != expected {
                return Err(format!("the tombstone is not one past revision {}", last.revision));
            }
            state.current = None;
            state.unverified = None;
            Ok(())
        }
        GoalChange::Edit(set)
        | GoalChange::Pause(set)
        | GoalChange::Resume(set)
        | GoalChange::Complete(set)
        | GoalChange::Block(set) => {
            let current = state.current.as_mut().ok_or("there is no goal to change")?;
            follows(current, set, at)?;
            transition(change, &current.goal, &set.goal)?;
            current.goal = set.goal.clone();
            current.updated_at = set.updated_at;
            after(state, change, actor);
            Ok(())
        }
    }
}

fn create(state: &mut State, set: &GoalSet, at: Timestamp) -> Step {
    if state.current.as_ref().is_some_and(|current| !current.is_complete()) {
        return Err("an unfinished goal is current".to_owned());
    }
    if !state.used_goals.insert(set.goal.id) {
        return Err(format!("goal id {} was used before", set.goal.id));
    }
    let fresh = set.goal.revision == Revision::FIRST
        && set.goal.content_revision == Revision::FIRST
        && set.rounds_started == 0
        && set.goal.phase == Phase::Active
        && set.created_at == at
        && set.updated_at == at;
    if !fresh {
        return Err("a new goal is active, at revision 1, with no round, created now".to_owned());
    }
    state.current = Some(Current {
        goal: set.goal.clone(),
        rounds_started: 0,
        created_at: set.created_at,
        updated_at: set.updated_at,
        pause_requested: false,
        round: None,
        last_verdict: None,
        last_claim: None,
        usage: goald_schema::usage::Usage::default(),
        worked_ms: 0,
    });
    state.unverified = None;
    state.refusals = Refusals::default();
    Ok(())
}

/// Somebody tried what it may not do: counted for display, the last one kept.
pub(super) fn refused(state: &mut State, refused: &AuthorityRefused, actor: &Actor, at: Timestamp) {
    state.refusals.count = state.refusals.count.saturating_add(1);
    state.refusals.last = Some(Refusal { at, actor: actor.clone(), operation: refused.operation });
}

/// What every change of a goal has in common.
fn follows(current: &Current, set: &GoalSet, at: Timestamp) -> Step {
    let (before, after) = (&current.goal, &set.goal);
    if after.id != before.id {
        return Err(format!("goal {} is not the current one", after.id));
    }
    if after.revision != before.revision.next() {
        return Err(format!("revision {} does not follow on {}", after.revision, before.revision));
    }
    if set.rounds_started != current.rounds_started {
        return Err(format!("{} rounds were started, not {}", current.rounds_started, set.rounds_started));
    }
    if set.created_at != current.created_at || set.updated_at != at {
        return Err("createdAt stays and updatedAt is the event's own time".to_owned());
    }
    Ok(())
}

/// The table of part "Goal rules": from which phase to which, and what may differ.
fn transition(change: &GoalChange, before: &Goal, after: &Goal) -> Step {
    use PhaseName::{Active, Blocked, Complete, Paused};
    let (from, to) = (before.phase.name(), after.phase.name());
    let legal = match change {
        GoalChange::Edit(_) => from != Complete && before.phase == after.phase,
        GoalChange::Pause(_) => from == Active && to == Paused,
        GoalChange::Resume(_) => from != Complete && to == Active,
        GoalChange::Complete(_) => from != Complete && to == Complete,
        GoalChange::Block(_) => from == Active && to == Blocked,
        GoalChange::Create(_) | GoalChange::Clear(_) => false,
    };
    if !legal {
        return Err(format!("{} does not lead from {} to {}", change.operation(), from.as_str(), to.as_str()));
    }
    let content_changed = before.objective != after.objective || before.criteria != after.criteria;
    let expected = if content_changed { after.revision } else { before.content_revision };
    if after.content_revision != expected {
        return Err(format!("content revision {} instead of {expected}", after.content_revision));
    }
    let kept = content_kept(before, after);
    if !matches!(change, GoalChange::Edit(_)) && !kept {
        return Err(format!("{} changed more than the phase", change.operation()));
    }
    if after.agent != before.agent || after.policy != before.policy {
        return Err("agent and policy are frozen".to_owned());
    }
    Ok(())
}

fn content_kept(before: &Goal, after: &Goal) -> bool {
    before.objective == after.objective
        && before.criteria == after.criteria
        && before.limits == after.limits
        && before.max_goal_rounds == after.max_goal_rounds
}

/// What follows from a change beside the snapshot.
fn after(state: &mut State, change: &GoalChange, actor: &Actor) {
    let Some(current) = state.current.as_mut() else { return };
    match change {
        GoalChange::Edit(_) => {
            let content = current.goal.content_revision;
            if state.unverified.as_ref().is_some_and(|turn| turn.content_revision != content) {
                state.unverified = None;
            }
        }
        GoalChange::Pause(_) | GoalChange::Block(_) => current.pause_requested = false,
        GoalChange::Complete(_) => {
            current.pause_requested = false;
            current.round = None;
            state.unverified = None;
        }
        GoalChange::Resume(_) => {
            current.pause_requested = false;
            if let (Actor::Human, Some(open)) = (actor, current.round.as_mut()) {
                open.failures = 0;
                open.last_failure = None;
                open.retry = None;
            }
        }
        GoalChange::Create(_) | GoalChange::Clear(_) => {}
    }
}

pub(super) fn pause_requested(state: &mut State, requested: &PauseRequested) -> Step {
    let current = current_at(state, requested.reference)?;
    if !current.is_active() || current.pause_requested {
        return Err("only an active goal without such a request can be asked to pause".to_owned());
    }
    current.pause_requested = true;
    Ok(())
}

pub(super) fn pause_withdrawn(state: &mut State, withdrawn: &PauseWithdrawn) -> Step {
    let current = current_at(state, withdrawn.reference)?;
    if !current.pause_requested {
        return Err("no pause was requested".to_owned());
    }
    current.pause_requested = false;
    Ok(())
}

/// The current goal, if it is exactly the one referred to.
pub(super) fn current_at(state: &mut State, reference: GoalRef) -> Result<&mut Current, String> {
    let current = state.current.as_mut().ok_or("there is no goal")?;
    if current.goal.reference() == reference {
        Ok(current)
    } else {
        Err(format!("goal {} is not current at revision {}", reference.id, reference.revision))
    }
}
