//! Attempts and claims: one at a time, none behind a stop, reports only from whoever runs.

use super::{Invariants, Open};
use goald_schema::event::{AttemptEnded, AttemptStarted, ClaimMade, Next, Turn};

impl Invariants {
    pub(super) fn attempt_started(&mut self, started: &AttemptStarted) {
        assert!(self.attempt.is_none(), "never two attempts at once");
        assert!(!self.stopping, "nothing starts while the daemon stops");
        assert!(!self.hushed, "no prompt after a stop until a resume or a say");
        let goal = self.goal.as_mut();
        let now = goal.as_ref().map(|goal| (goal.goal.reference(), goal.goal.content_revision));
        assert_eq!(started.given.map(|given| (given.reference, given.content_revision)), now, "told the goal as it is");
        match &started.turn {
            Turn::Round { round } => {
                assert!(self.armed, "no round is started while disarmed");
                let goal = goal.expect("a round belongs to a goal");
                assert!(goal.is_active(), "no round is started unless active");
                let content = goal.goal.content_revision.get();
                let open = goal.open_round.as_mut().expect("a round is admitted before it starts");
                assert_eq!((open.number, open.content), (round.get(), content));
                open.attempts += 1;
                assert_eq!(started.number.get(), open.attempts, "attempts of a round have no gap");
                self.messages.turn_stands = false;
            }
            Turn::Messages { messages } => {
                assert!(
                    self.armed || self.messages.permit,
                    "no message is delivered while disarmed, but for a say's turn"
                );
                assert_eq!(*messages, self.messages.queue, "everything queued, in order, in one turn");
                self.messages.permit = false;
                self.messages.turn_stands = true;
            }
        }
        self.attempt = Some(Open { id: started.attempt, turn: started.turn.clone(), cancelled: false });
    }

    pub(super) fn attempt_ended(&mut self, ended: &AttemptEnded) {
        let open = self.attempt.take().expect("what ends was started");
        assert_eq!(open.id, ended.attempt);
        self.unchecked.insert(open.id);
        self.last_end = Some(ended.outcome.clone());
        let retry = matches!(ended.next, Next::Retry { .. });
        if matches!(open.turn, Turn::Messages { .. }) && retry && self.messages.turn_stands && !self.armed {
            // The permitted turn is not over.
            self.messages.permit = true;
        }
    }

    pub(super) fn claim_made(&self, made: &ClaimMade) {
        let open = self.attempt.as_ref().expect("a claim is made in a turn");
        assert_eq!(open.id, made.attempt);
        assert!(!open.cancelled, "a stopped attempt claims nothing");
        assert!(self.goal.is_some(), "a claim is about a goal");
    }
}
