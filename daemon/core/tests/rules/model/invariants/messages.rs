//! Messages: each delivered at most once, in order, and only when its turn is over.

use super::Invariants;
use goald_schema::event::{MessageDelivered, MessageQueued, TurnStopped};

impl Invariants {
    pub(super) fn message_queued(&mut self, queued: &MessageQueued) {
        assert!(!self.messages.queue.contains(&queued.message), "a message is queued once");
        self.messages.queue.push(queued.message);
        self.hushed = false;
        if !self.armed && !self.stopping {
            self.messages.permit = true;
        }
    }

    pub(super) fn message_delivered(&mut self, delivered: &MessageDelivered) {
        assert!(self.attempt.is_none(), "messages are done with when their turn is over");
        let count = delivered.messages.len();
        assert_eq!(self.messages.queue.get(..count), Some(delivered.messages.as_slice()), "in order, each once");
        self.messages.queue.drain(..count);
    }

    pub(super) fn turn_stopped(&mut self, _stopped: &TurnStopped) {
        self.messages.permit = false;
        self.messages.turn_stands = false;
        self.cancel();
    }
}
