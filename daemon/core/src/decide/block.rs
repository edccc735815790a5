//! `block`: a human's word, from active.

use super::change::{blocked, current, wrong_phase};
use super::complete::stop_messages;
use super::{Decided, Decision, Fact};
use crate::command::Context;
use crate::state::State;
use goald_schema::actor::Actor;
use goald_schema::event::CancelCause;
use goald_schema::goal::{BlockedReason, GoalRef};
use goald_schema::reason::ReasonCode;
use goald_schema::{ErrorCode, WireError};

/// The longest reason, in bytes: it stands in every snapshot and every status.
pub const REASON_BYTES: usize = 16 * 1024;

pub(super) fn decide(
    state: &State,
    reference: GoalRef,
    code: String,
    message: &str,
    actor: &Actor,
    context: &Context<'_>,
) -> Decided {
    let goal = current(state, reference)?;
    if !goal.is_active() {
        return Err(wrong_phase(goal, "blocked"));
    }
    let code = ReasonCode::try_from(code).map_err(|error| {
        WireError::new(ErrorCode::InvalidValue, error.to_string()).hint("leave --code out for human-reported")
    })?;
    let message = message.trim();
    if message.is_empty() {
        return Err(WireError::new(ErrorCode::EmptyText, "a goal is blocked with a reason in words")
            .hint("goal block --reason TEXT"));
    }
    if message.len() > REASON_BYTES {
        return Err(WireError::new(ErrorCode::TextTooLong, format!("the reason has {} bytes", message.len()))
            .hint(format!("at most {REASON_BYTES}")));
    }
    let reason = BlockedReason { code, message: message.to_owned() };
    let mut facts: Vec<Fact> = stop_messages(state, CancelCause::Block, actor).into_iter().collect();
    facts.push(blocked(goal, reason, actor, context));
    Ok(Decision::accept(facts))
}
