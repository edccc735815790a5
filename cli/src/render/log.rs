//! `goal log` for people: one line an event.

use super::escape::{line as escaped, short};
use super::style::{FAINT, paint};
use super::time::{duration, local};
use goald_schema::Actor;
use goald_schema::event::{Claim, Event, EventRecord, Failure, GoalChange, Outcome, RefusedWhy, Turn};
use goald_schema::goal::Phase;

/// Position, time, who, what.
pub fn line(record: &EventRecord) -> String {
    let head = format!("{:>6} {}", record.position.get(), local(record.at));
    format!("{} {:<9} {}", paint(FAINT, &head), actor(&record.actor), event(&record.event))
}

/// The actor in a word.
pub fn actor(actor: &Actor) -> &'static str {
    match actor {
        Actor::Human => "human",
        Actor::Agent { .. } => "agent",
        Actor::Other { .. } => "other",
        Actor::Driver => "driver",
        Actor::Verifier => "verifier",
        Actor::Policy => "policy",
    }
}

/// An event in words.
pub fn event(event: &Event) -> String {
    match event {
        Event::SessionOpened(opened) => {
            format!("session opened in {}, agent {}", escaped(&opened.workspace), escaped(&opened.profile.name))
        }
        Event::GoalChange(change) => goal_change(change),
        Event::PauseRequested(_) => "pause requested for the round's end".to_owned(),
        Event::PauseWithdrawn(_) => "pause request withdrawn".to_owned(),
        Event::RoundAdmitted(admitted) => format!("round {} admitted", admitted.round),
        Event::AttemptStarted(started) => {
            let what = match &started.turn {
                Turn::Round { round } => format!("round {round}"),
                Turn::Messages { messages } => format!("{} message(s)", messages.len()),
            };
            format!("attempt {} of {what} started", started.number)
        }
        Event::AttemptEnded(ended) => {
            format!("attempt ended: {} after {}", outcome(&ended.outcome), duration(ended.worked_ms))
        }
        Event::TurnStopped(_) => "message turn stopped".to_owned(),
        Event::RoundEnded(ended) => format!("round {} ended ({})", ended.round, word(&ended.how)),
        Event::MessageQueued(queued) if queued.interrupts.is_some() => "message interrupts what runs".to_owned(),
        Event::MessageQueued(_) => "message queued".to_owned(),
        Event::MessageDelivered(delivered) => match &delivered.failed {
            Some(failed) => format!("{} message(s) failed: {}", delivered.messages.len(), short(&failed.message, 200)),
            None => format!("{} message(s) delivered", delivered.messages.len()),
        },
        Event::ClaimMade(made) => format!("agent reports {}", claim(&made.claim)),
        Event::ClaimRefused(refused) => format!("report refused ({}): {}", refusal(refused.why), claim(&refused.claim)),
        Event::VerdictRecorded(verdict) => {
            let met = verdict.results.iter().filter(|result| result.met).count();
            format!("checked: {} ({met} of {} met)", word(&verdict.result), verdict.results.len())
        }
        Event::AuthorityRefused(refused) => {
            format!("{} refused: {}", refused.operation.as_str(), short(&refused.why, 200))
        }
        other => other.kind().to_owned(),
    }
}

fn goal_change(change: &GoalChange) -> String {
    let Some(set) = change.snapshot() else { return "goal cleared".to_owned() };
    let objective = short(&set.goal.objective.text, 80);
    match &set.goal.phase {
        Phase::Complete(how) => format!("goal complete ({})", word(how)),
        Phase::Blocked(reason) => format!("goal blocked, {}: {}", reason.code, short(&reason.message, 200)),
        Phase::Paused if matches!(change, GoalChange::Pause(_)) => "goal paused".to_owned(),
        Phase::Active if matches!(change, GoalChange::Resume(_)) => "goal resumed".to_owned(),
        Phase::Active | Phase::Paused => format!("goal {}: {objective}", change.operation()),
    }
}

/// How an attempt ended, in words.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed => "completed".to_owned(),
        Outcome::Failed { failure } => failure_words(failure),
        Outcome::Interrupted { cause } => format!("stopped ({})", word(cause)),
        Outcome::Timeout { bound } => format!("timed out ({})", word(bound)),
        Outcome::Limit { code } => format!("limit ({code})"),
        Outcome::Lost => "lost: nobody saw the end".to_owned(),
    }
}

fn failure_words(failure: &Failure) -> String {
    format!("failed ({}): {}", word(&failure.kind), short(&failure.message, 300))
}

fn claim(claim: &Claim) -> String {
    match claim {
        Claim::Complete { summary, .. } => format!("complete: {}", short(summary, 200)),
        Claim::Blocked { reason } => format!("blocked: {}", short(reason, 200)),
    }
}

/// Why a report was refused, in words.
pub fn refusal(why: RefusedWhy) -> String {
    match why {
        RefusedWhy::TooEarly { missing_rounds } => format!("too early, {missing_rounds} rounds missing"),
        RefusedWhy::StaleContent => "about older content".to_owned(),
        RefusedWhy::WrongPhase => "not in this phase".to_owned(),
        RefusedWhy::Stopping => "the attempt is being stopped".to_owned(),
    }
}

/// The word that a value has in JSON.
pub fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(error) => error.to_string(),
    }
}
