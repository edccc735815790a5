//! `attempt/started`, `attempt/ended`.

use super::Step;
use crate::state::{OpenAttempt, Retry, State, TurnKind, Unverified};
use goald_schema::Timestamp;
use goald_schema::event::{AttemptEnded, AttemptStarted, Failure, FailureKind, Next, Outcome, Turn};
use goald_schema::id::MessageId;
use goald_schema::number::Round;
use goald_schema::usage::Usage;

pub(super) fn started(state: &mut State, started: &AttemptStarted, at: Timestamp) -> Step {
    if state.attempt.is_some() {
        return Err("an attempt is open".to_owned());
    }
    let number = match &started.turn {
        Turn::Round { round } => start_round(state, *round)?,
        Turn::Messages { messages } => start_messages(state, messages)?,
    };
    if started.number.get() != number {
        return Err(format!("attempt {} instead of {number}", started.number));
    }
    let goal = state.current.as_ref().map(|current| (current.goal.reference(), current.goal.content_revision));
    if started.given.map(|given| (given.reference, given.content_revision)) != goal {
        return Err("the agent was given another goal than the current one".to_owned());
    }
    state.attempt = Some(Box::new(OpenAttempt { started: started.clone(), at, claim: None, stopped: false }));
    Ok(())
}

fn start_round(state: &mut State, round: Round) -> Result<u32, String> {
    let current = state.current.as_mut().ok_or("there is no goal")?;
    if !current.is_active() {
        return Err(format!("the goal is {}", current.goal.phase.name().as_str()));
    }
    let content = current.goal.content_revision;
    let open = current.round.as_mut().ok_or("no round is open")?;
    if open.round != round || open.content_revision != content {
        return Err(format!("round {round} is not open for the goal's content"));
    }
    open.attempts = open.attempts.saturating_add(1);
    open.retry = None;
    Ok(open.attempts)
}

fn start_messages(state: &mut State, messages: &[MessageId]) -> Result<u32, String> {
    let waiting: Vec<MessageId> = state.queue.iter().map(|queued| queued.id).collect();
    if messages.is_empty() || messages != waiting {
        return Err("a message turn takes every waiting message, in order".to_owned());
    }
    let number = state.queue.iter().map(|queued| queued.attempts).max().unwrap_or(0).saturating_add(1);
    for queued in &mut state.queue {
        queued.attempts = number;
    }
    state.queue_retry = None;
    Ok(number)
}

pub(super) fn ended(state: &mut State, ended: &AttemptEnded) -> Step {
    let open = state.attempt.take().ok_or("no attempt is open")?;
    if open.id() != ended.attempt {
        return Err(format!("attempt {} is open, not {}", open.id(), ended.attempt));
    }
    follow_agent_session(state, &open, ended);
    count_work(state, &open, ended);
    match &open.started.turn {
        Turn::Round { round } => end_round_attempt(state, *round, ended),
        Turn::Messages { .. } => end_message_attempt(state, &open, ended),
    }
    if ended.next == Next::TurnOver {
        leave_unverified(state, *open, ended);
    }
    Ok(())
}

/// The agent session that the next attempt continues, with what its attempts used.
fn follow_agent_session(state: &mut State, open: &OpenAttempt, ended: &AttemptEnded) {
    let resumed = &open.started.resumes;
    let used = ended.usage.unwrap_or_default();
    let session = match &ended.outcome {
        // A full context is left behind: the next attempt begins a fresh agent session.
        Outcome::Failed { failure } if failure.kind == FailureKind::ContextExhausted => None,
        _ => ended.agent_session.clone().or_else(|| resumed.clone()),
    };
    state.agent_session_usage = match &session {
        None => Usage::default(),
        Some(_) if session == *resumed => state.agent_session_usage.plus(used),
        Some(_) => used,
    };
    state.agent_session = session;
}

/// Everything that costs counts for the goal that was current when the attempt started.
fn count_work(state: &mut State, open: &OpenAttempt, ended: &AttemptEnded) {
    let Some(current) = state.current.as_mut() else { return };
    let given = open.started.given.map(|given| given.reference.id);
    if given == Some(current.goal.id) {
        current.worked_ms = current.worked_ms.saturating_add(ended.worked_ms);
        current.usage = current.usage.plus(ended.usage.unwrap_or_default());
    }
}

fn end_round_attempt(state: &mut State, round: Round, ended: &AttemptEnded) {
    // The goal may have been cleared, completed or replaced meanwhile: then its round is gone with it.
    let open = state.current.as_mut().and_then(|current| current.round.as_mut());
    let Some(open) = open.filter(|open| open.round == round) else { return };
    open.was_cut = matches!(ended.outcome, Outcome::Interrupted { .. } | Outcome::Lost);
    if let Next::Retry { at, after_ms } = ended.next {
        open.retry = Some(Retry { at, after_ms, failure: failure_of(&ended.outcome) });
    }
    if counts(ended) {
        open.failures = open.failures.saturating_add(1);
        open.last_failure = Some(failure_of(&ended.outcome));
    }
}

fn end_message_attempt(state: &mut State, open: &OpenAttempt, ended: &AttemptEnded) {
    let Turn::Messages { messages } = &open.started.turn else { return };
    if counts(ended) {
        for queued in state.queue.iter_mut().filter(|queued| messages.contains(&queued.id)) {
            queued.failures = queued.failures.saturating_add(1);
        }
    }
    let newer = state.queue.iter().any(|queued| !messages.contains(&queued.id));
    if let (Next::Retry { at, after_ms }, false) = (&ended.next, newer) {
        state.queue_retry = Some(Retry { at: *at, after_ms: *after_ms, failure: failure_of(&ended.outcome) });
    }
}

/// A failure that another attempt may mend; only those are counted against the bound on attempts.
fn counts(ended: &AttemptEnded) -> bool {
    match &ended.outcome {
        Outcome::Failed { failure } => is_retryable(failure.kind),
        Outcome::Lost => matches!(ended.next, Next::Retry { .. }),
        Outcome::Completed | Outcome::Interrupted { .. } | Outcome::Timeout { .. } | Outcome::Limit { .. } => false,
    }
}

/// Failures after which the same turn is tried again.
pub fn is_retryable(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Transient | FailureKind::Crash | FailureKind::ContextExhausted)
}

fn failure_of(outcome: &Outcome) -> Failure {
    match outcome {
        Outcome::Failed { failure } => failure.clone(),
        Outcome::Completed
        | Outcome::Interrupted { .. }
        | Outcome::Timeout { .. }
        | Outcome::Limit { .. }
        | Outcome::Lost => Failure {
            kind: FailureKind::Crash,
            message: "the process that held the agent was lost".to_owned(),
            status: None,
            retry_after_ms: None,
        },
    }
}

/// A turn that is over waits to be checked where there is something to check: a claim, or a round's criteria.
fn leave_unverified(state: &mut State, open: OpenAttempt, ended: &AttemptEnded) {
    // A message turn in between voids an earlier claim.
    if let (Turn::Messages { .. }, Some(earlier)) = (&open.started.turn, state.unverified.as_mut()) {
        earlier.claim = None;
    }
    let Some(current) = state.current.as_ref().filter(|current| !current.is_complete()) else { return };
    let given = open.started.given.filter(|given| given.reference.id == current.goal.id);
    let Some(given) = given.map(|given| given.content_revision) else { return };
    if given != current.goal.content_revision {
        return;
    }
    let claim = if ended.outcome == Outcome::Completed { open.claim } else { None };
    let (occasion, something) = match open.started.turn {
        Turn::Round { .. } => (TurnKind::Round, claim.is_some() || !current.goal.criteria.is_empty()),
        Turn::Messages { .. } => (TurnKind::Messages, claim.is_some()),
    };
    if something {
        state.unverified = Some(Unverified {
            attempt: ended.attempt,
            occasion,
            goal: current.goal.id,
            content_revision: given,
            claim,
        });
    }
    // An earlier round that only waited for its claim has nothing left to check.
    let criteria = !current.goal.criteria.is_empty();
    if state.unverified.as_ref().is_some_and(|turn| turn.claim.is_none() && !criteria) {
        state.unverified = None;
    }
}
