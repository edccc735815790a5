//! What the daemon's own driver reports. Each counts only while the state asks for it.

use super::change::{blocked, fact, moved};
use super::{Decision, Fact};
use crate::command::{Context, Driver};
use crate::live::Live;
use crate::next_step::{Step, next_step};
use crate::state::State;
use goald_schema::actor::Actor;
use goald_schema::event::{
    AttemptStarted, Event, GoalChange, MessageDelivered, MessageFailure, RoundAdmitted, RoundEnd, RoundEnded, Turn,
};
use goald_schema::goal::{BlockedReason, Phase};

mod checked;
mod ended;

pub(super) fn decide(state: &State, live: &Live, driver: Driver, context: &Context<'_>) -> Decision {
    match driver {
        Driver::Carry(step) if next_step(state, live, context.now) == step => carry(state, &step, context),
        Driver::Carry(_) => Decision::ignored(),
        Driver::Started(started) => begin(state, live, *started, context),
        Driver::CannotStart(reason) => cannot_start(state, live, reason, context),
        Driver::Ended(report) => ended::decide(state, live, *report, context),
        Driver::Checked(report) => checked::decide(state, live, *report, context),
    }
}

fn driver_fact(event: Event) -> Fact {
    Fact { actor: Actor::Driver, event }
}

fn carry(state: &State, step: &Step, context: &Context<'_>) -> Decision {
    let Some(current) = &state.current else { return Decision::ignored() };
    match step {
        Step::Pause => {
            let change = GoalChange::Pause(moved(current, Phase::Paused, context));
            Decision::accept(vec![fact(&Actor::Driver, change)])
        }
        Step::Block(reason) => Decision::accept(vec![blocked(current, reason.clone(), &Actor::Driver, context)]),
        Step::AdmitRound { round } => {
            // Only a round whose content changed under it is still open here.
            let abandoned = current.round.as_ref().map(|open| {
                let ended = RoundEnded { round: open.round, how: RoundEnd::Abandoned, fingerprint: None };
                driver_fact(Event::RoundEnded(ended))
            });
            let admitted = RoundAdmitted {
                reference: current.goal.reference(),
                content_revision: current.goal.content_revision,
                round: *round,
            };
            let admitted = driver_fact(Event::RoundAdmitted(admitted));
            Decision::accept(abandoned.into_iter().chain([admitted]).collect())
        }
        Step::Nothing(_)
        | Step::Recover { .. }
        | Step::Acquire(_)
        | Step::DeliverMessages { .. }
        | Step::Verify { .. }
        | Step::StartRound { .. }
        | Step::Sleep { .. } => Decision::ignored(),
    }
}

/// No attempt came to be: a round's goal is blocked, messages are closed as failed.
fn cannot_start(state: &State, live: &Live, reason: BlockedReason, context: &Context<'_>) -> Decision {
    match (next_step(state, live, context.now), &state.current) {
        (Step::StartRound { .. }, Some(current)) => {
            Decision::accept(vec![blocked(current, reason, &Actor::Driver, context)])
        }
        (Step::DeliverMessages { messages, .. }, _) => {
            let failed = Some(MessageFailure { message: reason.message });
            let delivered = MessageDelivered { messages, attempt: None, failed };
            Decision::accept(vec![driver_fact(Event::MessageDelivered(delivered))])
        }
        _ => Decision::ignored(),
    }
}

fn begin(state: &State, live: &Live, started: AttemptStarted, context: &Context<'_>) -> Decision {
    let wanted = match (next_step(state, live, context.now), &started.turn) {
        (Step::StartRound { round, number }, Turn::Round { round: of }) => round == *of && number == started.number,
        (Step::DeliverMessages { messages, number }, Turn::Messages { messages: of }) => {
            messages == *of && number == started.number
        }
        _ => false,
    };
    // The prompt was made from the goal as it was: an edit meanwhile asks for another prompt.
    let goal = state.current.as_ref().map(|current| (current.goal.reference(), current.goal.content_revision));
    let given = started.given.map(|given| (given.reference, given.content_revision));
    if wanted && goal == given {
        Decision::accept(vec![driver_fact(Event::AttemptStarted(started))])
    } else {
        Decision::ignored()
    }
}
