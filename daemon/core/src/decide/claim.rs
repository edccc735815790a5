//! An agent's report: recorded as a claim, or refused and recorded too. The criteria decide when the turn ends.

use super::change::no_goal;
use super::{Decision, Fact, Reply};
use crate::live::{EVENTS_PER_ATTEMPT, Live};
use crate::state::{Current, OpenAttempt, State};
use goald_schema::actor::Actor;
use goald_schema::event::{Claim, ClaimMade, ClaimRefused, Event, RefusedWhy, Turn};
use goald_schema::goal::GoalRef;
use goald_schema::{ErrorCode, WireError};

/// The longest summary or reason, in bytes.
pub const CLAIM_BYTES: usize = 16 * 1024;

pub(super) fn decide(state: &State, live: &Live, reference: Option<GoalRef>, claim: Claim, actor: &Actor) -> Decision {
    let Some(open) = &state.attempt else {
        return Decision::refuse(WireError::new(ErrorCode::Internal, "a claim without an attempt"));
    };
    let Some(current) = &state.current else { return Decision::refuse(no_goal()) };
    if let Err(error) = words(&claim) {
        return Decision::refuse(error);
    }
    if live.attempt_events >= EVENTS_PER_ATTEMPT {
        let message = format!("this attempt reported {EVENTS_PER_ATTEMPT} times already; it is not recorded any more");
        return Decision::refuse(WireError::new(ErrorCode::ClaimRefused, message).hint("end your turn"));
    }
    let attempt = open.id();
    match why_not(live, open, current, reference, &claim) {
        None => {
            let event = Event::ClaimMade(ClaimMade { attempt, claim });
            let facts = vec![Fact { actor: actor.clone(), event }];
            Decision { facts, answer: Ok(Reply::ClaimRecorded) }
        }
        Some((why, error)) => {
            let event = Event::ClaimRefused(ClaimRefused { attempt, claim, why });
            Decision { facts: vec![Fact { actor: actor.clone(), event }], answer: Err(error) }
        }
    }
}

fn words(claim: &Claim) -> Result<(), WireError> {
    let (what, bytes, empty) = match claim {
        Claim::Complete { summary, artifacts, unverified } => {
            let lists: usize = artifacts.iter().chain(unverified).map(String::len).sum();
            ("summary", summary.len().saturating_add(lists), summary.trim().is_empty())
        }
        Claim::Blocked { reason } => ("reason", reason.len(), reason.trim().is_empty()),
    };
    if empty {
        return Err(WireError::new(ErrorCode::EmptyText, format!("the {what} is empty"))
            .hint(format!("say the {what} in a few sentences")));
    }
    if bytes > CLAIM_BYTES {
        return Err(WireError::new(ErrorCode::TextTooLong, format!("the {what} has {bytes} bytes"))
            .hint(format!("at most {CLAIM_BYTES}; write details into a file and name it")));
    }
    Ok(())
}

fn why_not(
    live: &Live,
    open: &OpenAttempt,
    current: &Current,
    reference: Option<GoalRef>,
    claim: &Claim,
) -> Option<(RefusedWhy, WireError)> {
    let refused = |message: String| WireError::new(ErrorCode::ClaimRefused, message);
    if live.stopping || live.cancelling.is_some() || open.stopped {
        let error = refused("this attempt is being stopped; its reports count no more".to_owned());
        return Some((RefusedWhy::Stopping, error.hint("end your turn")));
    }
    if !stands(open, current, reference) {
        let goal = current.goal.reference();
        let message = format!(
            "the report is about older content; goal {} is at revision {}, its content changed at {}",
            goal.id, goal.revision, current.goal.content_revision
        );
        let error = refused(message).hint("end your turn: the next one gets the goal as it is now");
        return Some((RefusedWhy::StaleContent, error));
    }
    let phase = current.goal.phase.name().as_str();
    match claim {
        Claim::Complete { .. } if current.is_complete() => {
            Some((RefusedWhy::WrongPhase, refused("the goal is complete already".to_owned())))
        }
        Claim::Blocked { .. } if !current.is_active() => {
            Some((RefusedWhy::WrongPhase, refused(format!("the goal is {phase}: it cannot be reported blocked"))))
        }
        Claim::Blocked { .. } => too_early(open, current),
        Claim::Complete { .. } => None,
    }
}

/// A claim is compared by content: the goal's id is current, its content is what the attempt was given, and the
/// revision named is neither below the one given nor above the current one.
fn stands(open: &OpenAttempt, current: &Current, reference: Option<GoalRef>) -> bool {
    let Some(given) = open.started.given else { return false };
    let named = reference.unwrap_or(given.reference);
    named.id == current.goal.id
        && given.reference.id == current.goal.id
        && given.content_revision == current.goal.content_revision
        && named.revision >= given.reference.revision
        && named.revision <= current.goal.revision
}

/// Difficulty is no blocker: in a goal round `blocked` counts only from a minimum round number on.
fn too_early(open: &OpenAttempt, current: &Current) -> Option<(RefusedWhy, WireError)> {
    let Turn::Round { round } = open.started.turn else { return None };
    let minimum = current.goal.policy.blocked_after_consecutive_rounds;
    let missing_rounds = minimum.saturating_sub(round.get());
    (missing_rounds > 0).then(|| {
        let message = format!("this is round {round}; a goal can be reported blocked from round {minimum} on");
        let error = WireError::new(ErrorCode::ClaimRefused, message)
            .hint(format!("{missing_rounds} more to go: try another way first"));
        (RefusedWhy::TooEarly { missing_rounds }, error)
    })
}
