//! The only way durable state changes, live and on replay alike.
//!
//! Strict: a gap, an illegal transition or a reference to something that is not there is an error, never repaired.
//! One file an event family.

mod attempt;
mod goal;
mod message;
mod round;
mod turn;

pub use attempt::is_retryable;

use crate::decide::Fact;
use crate::state::State;
use goald_schema::Timestamp;
use goald_schema::event::Event;

/// An event that cannot follow on the state before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} cannot follow here: {what}")]
pub struct Illegal {
    /// The event's type.
    pub kind: &'static str,
    /// What does not fit.
    pub what: String,
}

/// What one family's rule answers: nothing, or what does not fit.
type Step = Result<(), String>;

/// Folds one fact into the state. The caller has checked `seq` and the hash chain; `at` is the event's own time.
///
/// # Errors
/// [`Illegal`]; the state is then no longer to be used.
pub fn evolve(state: &mut State, fact: &Fact, at: Timestamp) -> Result<(), Illegal> {
    let step = apply(state, fact, at);
    step.map_err(|what| Illegal { kind: fact.event.kind(), what })?;
    state.seq = state.seq.next();
    state.last_at = Some(at);
    Ok(())
}

fn apply(state: &mut State, fact: &Fact, at: Timestamp) -> Step {
    match &fact.event {
        Event::SessionOpened(_) if state.opened.is_some() => Err("the session is open already".to_owned()),
        Event::SessionOpened(opened) => {
            state.opened = Some(opened.clone());
            Ok(())
        }
        _ if state.opened.is_none() => Err("a session's first event is session/opened".to_owned()),
        Event::GoalChange(change) => goal::change(state, change, &fact.actor, at),
        Event::PauseRequested(requested) => goal::pause_requested(state, requested),
        Event::PauseWithdrawn(withdrawn) => goal::pause_withdrawn(state, withdrawn),
        Event::RoundAdmitted(admitted) => round::admitted(state, admitted),
        Event::RoundEnded(ended) => round::ended(state, ended),
        Event::AttemptStarted(started) => attempt::started(state, started, at),
        Event::AttemptEnded(ended) => attempt::ended(state, ended),
        Event::TurnStopped(stopped) => message::stopped(state, stopped),
        Event::MessageQueued(queued) => message::queued(state, queued, at),
        Event::MessageDelivered(delivered) => message::delivered(state, delivered),
        Event::ClaimMade(made) => turn::claim_made(state, made),
        Event::VerdictRecorded(verdict) => turn::verdict(state, verdict, at),
        // On record only: they change nothing that a rule looks at.
        Event::ClaimRefused(_) => Ok(()),
        Event::AuthorityRefused(refused) => {
            goal::refused(state, refused, &fact.actor, at);
            Ok(())
        }
        Event::HoldOpened(_)
        | Event::HoldClosed(_)
        | Event::QuestionAsked(_)
        | Event::QuestionAnswered(_)
        | Event::EffectBegun(_)
        | Event::EffectFinished(_)
        | Event::PermissionSuspended(_) => Err("this goald knows the event but not its rules".to_owned()),
    }
}
