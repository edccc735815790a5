//! `decide`: from a command to the facts that follow from it, or to a refusal. One file an operation.
//!
//! A decision is one append: all of its facts become durable together or none does. A refusal may leave a fact too
//! (`claim/refused`, `authority/refused`).

mod block;
mod change;
mod claim;
mod clear;
mod complete;
mod create;
mod driver;
mod edit;
mod pause;
mod resume;
mod say;

use crate::authority::{Role, permits, role};
use crate::command::{Command, Context};
use crate::live::{EVENTS_PER_ATTEMPT, Live};
use crate::state::State;
use goald_schema::actor::Actor;
use goald_schema::event::{AuthorityRefused, Event, Operation};
use goald_schema::{ErrorCode, WireError};

/// One event with who caused it.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// Who.
    pub actor: Actor,
    /// What.
    pub event: Event,
}

/// What follows from a command.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// To be appended together, in this order.
    pub facts: Vec<Fact>,
    /// The answer to whoever asked.
    pub answer: Result<Reply, WireError>,
}

/// A command was accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Something was, or already is, as wished.
    Done,
    /// A claim was recorded; the agent is to sum up and end its turn.
    ClaimRecorded,
    /// A report of the daemon's own is no longer asked for: nothing was done.
    Ignored,
}

impl Decision {
    fn accept(facts: Vec<Fact>) -> Self {
        Self { facts, answer: Ok(Reply::Done) }
    }

    fn unchanged() -> Self {
        Self::accept(Vec::new())
    }

    fn ignored() -> Self {
        Self { facts: Vec::new(), answer: Ok(Reply::Ignored) }
    }

    fn refuse(error: WireError) -> Self {
        Self { facts: Vec::new(), answer: Err(error) }
    }
}

impl From<WireError> for Decision {
    fn from(error: WireError) -> Self {
        Self::refuse(error)
    }
}

/// An accepted decision or a refusal without facts.
type Decided = Result<Decision, WireError>;

/// What follows from a command of this actor, in this state.
pub fn decide(state: &State, live: &Live, command: Command, actor: &Actor, context: &Context<'_>) -> Decision {
    let decided = match command {
        Command::Driver(driver) => return driver::decide(state, live, driver, context),
        Command::Claim { reference, claim } => {
            return match allowed(state, live, claim_operation(&claim), actor) {
                Ok(_) => claim::decide(state, live, reference, claim, actor),
                Err(refusal) => refusal,
            };
        }
        Command::Create(create) => {
            // With nothing unfinished to replace it is a plain create, whatever the caller saw.
            let unfinished = state.current.as_ref().is_some_and(|current| !current.is_complete());
            let replaces = create.replaces.is_some() && unfinished;
            let operation = if replaces { Operation::Replace } else { Operation::Create };
            match allowed(state, live, operation, actor) {
                Ok(role) => create::decide(state, live, *create, role, actor, context),
                Err(refusal) => return refusal,
            }
        }
        Command::Edit { reference, patch } => {
            let other = patch.max_rounds.is_some() || patch.criteria.is_some();
            let operation = if other { Operation::EditOther } else { Operation::EditObjective };
            match allowed(state, live, operation, actor) {
                Ok(_) => edit::decide(state, live, reference, &patch, actor, context),
                Err(refusal) => return refusal,
            }
        }
        Command::Pause { reference, when } => match allowed(state, live, Operation::Pause, actor) {
            Ok(_) => pause::decide(state, live, reference, when, actor, context),
            Err(refusal) => return refusal,
        },
        Command::Resume { reference } => match allowed(state, live, Operation::Resume, actor) {
            Ok(role) => resume::decide(state, live, reference, role, actor, context),
            Err(refusal) => return refusal,
        },
        Command::Complete { reference } => match allowed(state, live, Operation::Complete, actor) {
            Ok(_) => complete::decide(state, reference, actor, context),
            Err(refusal) => return refusal,
        },
        Command::Block { reference, code, message } => match allowed(state, live, Operation::Block, actor) {
            Ok(_) => block::decide(state, reference, code, &message, actor, context),
            Err(refusal) => return refusal,
        },
        Command::Clear { reference } => match allowed(state, live, Operation::Clear, actor) {
            Ok(_) => clear::decide(state, live, reference, actor, context),
            Err(refusal) => return refusal,
        },
        Command::Say { message, text, when, open } => match allowed(state, live, Operation::Say, actor) {
            Ok(_) => say::decide(state, live, message, text, when, open, actor),
            Err(refusal) => return refusal,
        },
    };
    decided.unwrap_or_else(Decision::refuse)
}

const fn claim_operation(claim: &goald_schema::event::Claim) -> Operation {
    match claim {
        goald_schema::event::Claim::Complete { .. } => Operation::ClaimComplete,
        goald_schema::event::Claim::Blocked { .. } => Operation::ClaimBlocked,
    }
}

/// The role, if it may do this at all; else the refusal, recorded in a session that exists.
fn allowed(state: &State, live: &Live, operation: Operation, actor: &Actor) -> Result<Role, Decision> {
    let role = role(state, actor);
    let Err(why) = permits(role, operation).and_then(|()| not_being_stopped(state, live, role, operation)) else {
        return Ok(role);
    };
    let error = WireError::new(ErrorCode::NotPermitted, why.clone())
        .hint("a person can do this from a terminal of their own; see goal --help");
    // A flood of attempts to do what is not allowed must not flood the log.
    let so_far = match actor {
        Actor::Other { .. } => live.others_events,
        Actor::Agent { .. } | Actor::Human | Actor::Driver | Actor::Verifier | Actor::Policy => live.attempt_events,
    };
    let recorded = state.opened.is_some() && so_far < EVENTS_PER_ATTEMPT;
    let refused = || Fact {
        actor: actor.clone(),
        event: Event::AuthorityRefused(AuthorityRefused { operation, why: why.clone() }),
    };
    Err(Decision { facts: if recorded { vec![refused()] } else { Vec::new() }, answer: Err(error) })
}

/// What an agent asks for while its attempt is being stopped comes too late: otherwise it could undo the stop. Its claims
/// are refused, and recorded, by the claim's own rules. One whose daemon died has no live attempt at all.
fn not_being_stopped(state: &State, live: &Live, role: Role, operation: Operation) -> Result<(), String> {
    let open = match role {
        Role::AgentInMessageTurn | Role::AgentInRound => state.attempt.as_ref(),
        Role::Human | Role::Driver | Role::Verifier | Role::Policy | Role::Other(_) => None,
    };
    let Some(open) = open else { return Ok(()) };
    if live.running != Some(open.id()) {
        return Err("its attempt was cut off and runs no more".to_owned());
    }
    let claim = matches!(operation, Operation::ClaimComplete | Operation::ClaimBlocked);
    if !claim && (live.stopping || live.cancelling.is_some() || open.stopped) {
        return Err("this attempt is being stopped; what it asks for counts no more".to_owned());
    }
    Ok(())
}
