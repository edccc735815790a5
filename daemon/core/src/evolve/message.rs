//! `message/queued`, `message/delivered`, `turn/stopped`.

use super::Step;
use crate::state::{Queued, State};
use goald_schema::Timestamp;
use goald_schema::event::{MessageDelivered, MessageQueued, Turn, TurnStopped};

pub(super) fn queued(state: &mut State, queued: &MessageQueued, at: Timestamp) -> Step {
    if state.queue.iter().any(|waiting| waiting.id == queued.message) {
        return Err(format!("message {} waits already", queued.message));
    }
    state.queue.push(Queued { id: queued.message, text: queued.text.clone(), at, attempts: 0, failures: 0 });
    // A newer message makes all due.
    state.queue_retry = None;
    Ok(())
}

pub(super) fn delivered(state: &mut State, delivered: &MessageDelivered) -> Step {
    if state.attempt.is_some() {
        return Err("messages are done with when their turn is over".to_owned());
    }
    if delivered.attempt.is_some() == delivered.failed.is_some() {
        return Err("messages are delivered by an attempt, or failed".to_owned());
    }
    for message in &delivered.messages {
        let place = state.queue.iter().position(|queued| queued.id == *message);
        let place = place.ok_or_else(|| format!("message {message} does not wait"))?;
        state.queue.remove(place);
    }
    if state.queue.is_empty() {
        state.queue_retry = None;
    }
    Ok(())
}

pub(super) fn stopped(state: &mut State, stopped: &TurnStopped) -> Step {
    match (&mut state.attempt, stopped.attempt) {
        (_, None) => Ok(()),
        (Some(open), Some(attempt)) if open.id() == attempt && matches!(open.started.turn, Turn::Messages { .. }) => {
            open.stopped = true;
            Ok(())
        }
        (_, Some(attempt)) => Err(format!("no message turn of attempt {attempt} runs")),
    }
}
