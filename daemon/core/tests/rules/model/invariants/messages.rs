//! Messages: each delivered at most once, in order, and only when its turn is over.

use super::Invariants;
use goald_schema::event::{MessageDelivered, MessageQueued, TurnStopped};
use goald_schema::id::AttemptId;

impl Invariants {
    pub(super) fn message_queued(&mut self, queued: &MessageQueued) {
        assert!(!self.messages.queue.contains(&queued.message), "a message is queued once");
        self.messages.queue.push(queued.message);
        if let Some(interrupted) = queued.interrupts {
            self.interrupt(interrupted);
        }
        self.hushed = false;
        if !self.armed && !self.stopping {
            self.messages.permit = true;
        }
    }

    /// Only what runs is interrupted, once: an attempt that nobody stopped yet, or the check of a turn.
    fn interrupt(&mut self, interrupted: AttemptId) {
        match &self.attempt {
            Some(open) => {
                assert_eq!(open.id, interrupted, "the running attempt is interrupted");
                assert!(!open.cancelled, "what is being stopped is not interrupted too");
            }
            None => assert!(self.unchecked.contains(&interrupted), "the check of a turn is interrupted"),
        }
        self.cancel();
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
