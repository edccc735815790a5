//! `claim/made`, `verdict/recorded`.

use super::Step;
use crate::state::State;
use goald_schema::Timestamp;
use goald_schema::event::{ClaimMade, Occasion, Verdict};

pub(super) fn claim_made(state: &mut State, made: &ClaimMade) -> Step {
    let open = state.attempt.as_mut().ok_or("no attempt is open")?;
    if open.id() != made.attempt {
        return Err(format!("attempt {} is open, not {}", open.id(), made.attempt));
    }
    let current = state.current.as_mut().ok_or("there is no goal to claim about")?;
    // The turn's last claim counts.
    open.claim = Some(made.claim.clone());
    current.last_claim = Some(made.claim.clone());
    Ok(())
}

pub(super) fn verdict(state: &mut State, verdict: &Verdict, at: Timestamp) -> Step {
    let current = state.current.as_mut().ok_or("there is no goal")?;
    if verdict.reference != current.goal.reference() {
        return Err(format!("the goal is at revision {}", current.goal.revision));
    }
    let of_turn = matches!(verdict.occasion, Occasion::Round | Occasion::Message);
    if of_turn && verdict.attempt != state.unverified.as_ref().map(|turn| turn.attempt) {
        return Err("no turn of that attempt waits to be checked".to_owned());
    }
    current.worked_ms = current.worked_ms.saturating_add(verdict.worked_ms);
    current.last_verdict = Some((at, verdict.clone()));
    if of_turn {
        state.unverified = None;
    }
    Ok(())
}
