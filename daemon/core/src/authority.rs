//! Who may do what: a pure function of role and operation (`docs/rules.md`, "Who may do what").

use crate::state::State;
use goald_schema::actor::{Actor, OtherWhy};
use goald_schema::event::{Operation, Turn};

/// What an actor is in this session right now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A person.
    Human,
    /// An agent in the turn that answers a human's own message.
    AgentInMessageTurn,
    /// An agent in a goal round.
    AgentInRound,
    /// The daemon's round driver.
    Driver,
    /// The verification.
    Verifier,
    /// A standing permission.
    Policy,
    /// Anything else.
    Other(OtherWhy),
}

/// The role of an actor: an agent's depends on which turn its attempt is in, as the log says.
pub fn role(state: &State, actor: &Actor) -> Role {
    match actor {
        Actor::Human => Role::Human,
        Actor::Driver => Role::Driver,
        Actor::Verifier => Role::Verifier,
        Actor::Policy => Role::Policy,
        Actor::Other { why } => Role::Other(*why),
        Actor::Agent { attempt } => match &state.attempt {
            Some(open) if open.id() == *attempt => match open.started.turn {
                Turn::Round { .. } => Role::AgentInRound,
                Turn::Messages { .. } => Role::AgentInMessageTurn,
            },
            Some(_) | None => Role::Other(OtherWhy::DeadToken),
        },
    }
}

/// Whether a role may do an operation, whatever the state; what the state allows is `decide`'s business.
///
/// # Errors
/// Why not, in words.
pub fn permits(role: Role, operation: Operation) -> Result<(), String> {
    use Operation as Op;
    match (role, operation) {
        // A claim is an agent's word; a human completes or blocks.
        (Role::Human, Op::ClaimComplete | Op::ClaimBlocked) => {
            Err("only an agent in its turn makes claims; use goal complete or goal block".to_owned())
        }
        (Role::Human, _)
        | (
            Role::AgentInMessageTurn,
            Op::ClaimComplete | Op::ClaimBlocked | Op::Create | Op::EditObjective | Op::Pause | Op::Resume,
        )
        | (Role::AgentInRound, Op::ClaimComplete | Op::ClaimBlocked)
        | (Role::Policy, Op::Resume) => Ok(()),
        (Role::AgentInMessageTurn, _) => Err(format!(
            "an agent may not {}; it may create where no unfinished goal is, edit the objective, pause, resume, and report",
            words(operation)
        )),
        (Role::AgentInRound, _) => Err(format!("an agent in a goal round may not {}; it may report", words(operation))),
        (Role::Other(why), _) => Err(format!("whoever asks may only read, because {}", why.words())),
        (Role::Driver | Role::Verifier | Role::Policy, _) => {
            Err(format!("the daemon itself may not {}", words(operation)))
        }
    }
}

const fn words(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "create a goal",
        Operation::Replace => "replace a goal",
        Operation::EditObjective => "edit the objective",
        Operation::EditOther => "change limits, criteria or settings",
        Operation::Pause => "pause",
        Operation::Resume => "resume",
        Operation::Complete => "complete a goal without a claim",
        Operation::Block => "block a goal without a claim",
        Operation::Clear => "clear a goal",
        Operation::ClaimComplete => "report completion",
        Operation::ClaimBlocked => "report being blocked",
        Operation::Say => "send messages as a human",
        Operation::Purge => "purge",
        Operation::StopDaemon => "stop the daemon",
    }
}
