//! `round/admitted`, `round/ended`.

use super::Step;
use super::goal::current_at;
use crate::state::{OpenRound, State};
use goald_schema::event::{RoundAdmitted, RoundEnd, RoundEnded};

pub(super) fn admitted(state: &mut State, admitted: &RoundAdmitted) -> Step {
    if state.attempt.is_some() {
        return Err("an attempt is open".to_owned());
    }
    let current = current_at(state, admitted.reference)?;
    if !current.is_active() {
        return Err(format!("the goal is {}", current.goal.phase.name().as_str()));
    }
    if current.round.is_some() {
        return Err("a round is open".to_owned());
    }
    let next = current.rounds_started.saturating_add(1);
    if admitted.round.get() != next {
        return Err(format!("round {} does not follow on {}", admitted.round, current.rounds_started));
    }
    if next > current.goal.max_goal_rounds {
        return Err(format!("only {} rounds are allowed", current.goal.max_goal_rounds));
    }
    if admitted.content_revision != current.goal.content_revision {
        return Err(format!("content revision {} is not the goal's", admitted.content_revision));
    }
    current.rounds_started = next;
    current.round = Some(OpenRound {
        round: admitted.round,
        content_revision: admitted.content_revision,
        attempts: 0,
        failures: 0,
        last_failure: None,
        retry: None,
        was_cut: false,
    });
    Ok(())
}

pub(super) fn ended(state: &mut State, ended: &RoundEnded) -> Step {
    if state.attempt.is_some() {
        return Err("an attempt is open".to_owned());
    }
    let current = state.current.as_mut().ok_or("there is no goal")?;
    let open = current.round.as_ref().ok_or("no round is open")?;
    if open.round != ended.round {
        return Err(format!("round {} is open, not {}", open.round, ended.round));
    }
    if ended.how == RoundEnd::Finished && open.attempts == 0 {
        return Err("a round without an attempt cannot be finished".to_owned());
    }
    current.round = None;
    Ok(())
}
