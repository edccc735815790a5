//! The end of an attempt: whether its turn is over, is tried again, or blocks the goal.

use super::driver_fact;
use crate::backoff::delay_ms;
use crate::command::{AttemptReport, Context};
use crate::decide::change::blocked;
use crate::decide::{Decision, Fact};
use crate::evolve::is_retryable;
use crate::live::Live;
use crate::state::{OpenAttempt, OpenRound, State};
use goald_schema::actor::Actor;
use goald_schema::event::{
    AttemptEnded, CancelCause, Delivered, Event, Failure, FailureKind, MessageDelivered, MessageFailure, Next, Outcome,
    RoundEnd, RoundEnded, Turn,
};
use goald_schema::goal::BlockedReason;
use goald_schema::reason::Known;

pub(super) fn decide(state: &State, live: &Live, report: AttemptReport, context: &Context<'_>) -> Decision {
    let Some(open) = state.attempt.as_ref().filter(|open| open.id() == report.attempt) else {
        return Decision::ignored();
    };
    match &open.started.turn {
        Turn::Round { .. } => end_round(state, live, open, report, context),
        Turn::Messages { .. } => end_messages(state, live, open, report, context),
    }
}

fn end_round(state: &State, live: &Live, open: &OpenAttempt, report: AttemptReport, context: &Context<'_>) -> Decision {
    let round = open_round(state, open);
    let failure = failure(live, open, &report);
    let (next, reason) = match (&report.outcome, round) {
        // The goal is gone or complete: there is nothing to come back to.
        (_, None) => (Next::TurnOver, None),
        (Outcome::Interrupted { .. }, Some(_)) => (Next::Again, None),
        (_, Some(round)) => match &failure {
            Some(failure) if is_retryable(failure.kind) => {
                let failures = round.failures.saturating_add(1);
                (retry(state, failures, failure, context), None)
            }
            Some(failure) if failure.kind != FailureKind::OutputLimit => (Next::Again, Some(block_reason(failure))),
            // Nobody saw the end, and nobody was there to see it.
            None if report.outcome == Outcome::Lost => (Next::Again, None),
            Some(_) | None => (Next::TurnOver, None),
        },
    };
    let over = next == Next::TurnOver;
    let mut facts = vec![ended(live, report, next)];
    if let (true, Some(round)) = (over, round) {
        let ended = RoundEnded { round: round.round, how: RoundEnd::Finished, fingerprint: None };
        facts.push(driver_fact(Event::RoundEnded(ended)));
    }
    let active = state.current.as_ref().filter(|current| current.is_active());
    if let (Some(current), Some(reason)) = (active, reason) {
        facts.push(blocked(current, reason, &Actor::Driver, context));
    }
    Decision::accept(facts)
}

fn end_messages(
    state: &State,
    live: &Live,
    open: &OpenAttempt,
    report: AttemptReport,
    context: &Context<'_>,
) -> Decision {
    let Turn::Messages { messages } = &open.started.turn else { return Decision::ignored() };
    let attempt = report.attempt;
    let delivered = |attempt| MessageDelivered { messages: messages.clone(), attempt: Some(attempt), failed: None };
    let failed = |failure: &Failure| MessageDelivered {
        messages: messages.clone(),
        attempt: None,
        failed: Some(MessageFailure { message: failure.message.clone() }),
    };
    let (next, done) = match &report.outcome {
        Outcome::Interrupted { cause } => {
            let handed = report.delivered != Delivered::No;
            if open.stopped && handed && *cause != CancelCause::DaemonStop {
                (Next::TurnOver, Some(delivered(attempt)))
            } else {
                (Next::Again, None)
            }
        }
        _ => match failure(live, open, &report) {
            Some(failure) if is_retryable(failure.kind) => {
                let failures = failures_of(state, open).saturating_add(1);
                if failures >= max_attempts(state, context) {
                    (Next::TurnOver, Some(failed(&failure)))
                } else {
                    (retry(state, failures, &failure, context), None)
                }
            }
            Some(failure) if failure.kind != FailureKind::OutputLimit => (Next::TurnOver, Some(failed(&failure))),
            None if report.outcome == Outcome::Lost => (Next::Again, None),
            Some(_) | None => (Next::TurnOver, Some(delivered(attempt))),
        },
    };
    let mut facts = vec![ended(live, report, next)];
    facts.extend(done.map(|done| driver_fact(Event::MessageDelivered(done))));
    Decision::accept(facts)
}

fn ended(live: &Live, report: AttemptReport, next: Next) -> Fact {
    driver_fact(Event::AttemptEnded(AttemptEnded {
        attempt: report.attempt,
        outcome: report.outcome,
        delivered: report.delivered,
        usage: report.usage,
        worked_ms: report.worked_ms,
        agent_session: report.agent_session,
        final_text: report.final_text,
        next,
        suppressed: live.suppressed,
    }))
}

/// The round that the attempt belongs to, if it is still there.
fn open_round<'a>(state: &'a State, open: &OpenAttempt) -> Option<&'a OpenRound> {
    let Turn::Round { round } = open.started.turn else { return None };
    let current = state.current.as_ref()?;
    let same_goal = open.started.given.is_some_and(|given| given.reference.id == current.goal.id);
    current.round.as_ref().filter(|candidate| same_goal && candidate.round == round)
}

/// The failure to act on. An attempt whose guard was lost while this daemon ran it counts as crashed, so that one that
/// is lost again and again is not tried for ever.
fn failure(live: &Live, open: &OpenAttempt, report: &AttemptReport) -> Option<Failure> {
    match &report.outcome {
        Outcome::Failed { failure } => Some(failure.clone()),
        Outcome::Lost if live.running == Some(open.id()) => Some(Failure {
            kind: FailureKind::Crash,
            message: "the process that held the agent was lost".to_owned(),
            status: None,
            retry_after_ms: None,
        }),
        Outcome::Completed
        | Outcome::Interrupted { .. }
        | Outcome::Timeout { .. }
        | Outcome::Limit { .. }
        | Outcome::Lost => None,
    }
}

fn failures_of(state: &State, open: &OpenAttempt) -> u32 {
    let Turn::Messages { messages } = &open.started.turn else { return 0 };
    let mine = state.queue.iter().filter(|queued| messages.contains(&queued.id));
    mine.map(|queued| queued.failures).max().unwrap_or(0)
}

fn max_attempts(state: &State, context: &Context<'_>) -> u32 {
    state.current.as_ref().map_or(context.policy.max_attempts, |current| current.goal.policy.max_attempts)
}

fn retry(state: &State, failures: u32, failure: &Failure, context: &Context<'_>) -> Next {
    let policy = state.current.as_ref().map_or(context.policy, |current| &current.goal.policy);
    let after_ms = delay_ms(policy.retry_base_ms, failures, failure.retry_after_ms, context.dice);
    Next::Retry { at: context.now.wall.plus_millis(after_ms), after_ms }
}

/// A failure that no further attempt can mend blocks the goal, with the agent's or the system's own words.
fn block_reason(failure: &Failure) -> BlockedReason {
    let code = match failure.kind {
        FailureKind::UsageLimit => Known::UsageLimit,
        FailureKind::AuthRequired => Known::AuthRequired,
        FailureKind::PromptRejected => Known::PromptRejected,
        FailureKind::Spawn => Known::QueueFailed,
        FailureKind::Workspace => Known::WorkspaceMissing,
        FailureKind::Configuration
        | FailureKind::Transient
        | FailureKind::Crash
        | FailureKind::ContextExhausted
        | FailureKind::OutputLimit => Known::AgentFailed,
    };
    let message = failure.message.trim();
    let message = if message.is_empty() { "the agent gave no reason" } else { message };
    BlockedReason { code: code.into(), message: message.to_owned() }
}
