//! What must hold of every history. Reads events and actions only, and calls nothing of the core's rules: it keeps its
//! own, simpler picture of a session.

mod attempts;
mod goals;
mod messages;

use goald_core::{Fact, Step};
use goald_schema::Timestamp;
use goald_schema::actor::Actor;
use goald_schema::event::{CancelCause, Event, GoalChange, Outcome, Turn, Verdict};
use goald_schema::goal::{Goal, Phase};
use goald_schema::id::{AttemptId, GoalId, MessageId};
use std::collections::HashSet;

/// One session as its events tell it.
#[derive(Default)]
pub struct Invariants {
    goal: Option<Picture>,
    used: HashSet<GoalId>,
    armed: bool,
    stopping: bool,
    attempt: Option<Open>,
    /// Attempts that ended and have no verdict.
    unchecked: HashSet<AttemptId>,
    /// How the last one ended.
    last_end: Option<Outcome>,
    messages: Messages,
    /// A human's pause or clear, or a restart, was answered, and neither resume, create nor say came since.
    hushed: bool,
}

/// Messages that wait, and whether they may go.
#[derive(Default)]
struct Messages {
    queue: Vec<MessageId>,
    /// A `say` to a disarmed session permits one message turn.
    permit: bool,
    /// Nothing was stopped since the last message turn began: it may be tried again, and checked.
    turn_stands: bool,
}

/// The current goal.
struct Picture {
    goal: Goal,
    rounds: u32,
    open_round: Option<OpenRound>,
    unfinished: bool,
    pause_requested: bool,
}

/// A round that was admitted and has not ended.
struct OpenRound {
    number: u32,
    content: u64,
    attempts: u32,
}

/// The attempt that was started and has not ended.
struct Open {
    id: AttemptId,
    turn: Turn,
    /// It is being stopped: nothing it says counts any more.
    cancelled: bool,
}

impl Picture {
    fn is_active(&self) -> bool {
        self.goal.phase == Phase::Active
    }
}

impl Invariants {
    /// One append became durable.
    pub fn append(&mut self, facts: &[(Timestamp, Fact)]) {
        let mut verdict: Option<&Verdict> = None;
        for (_, fact) in facts {
            self.actor_may(fact);
            match &fact.event {
                Event::GoalChange(change) => self.goal_change(change, &fact.actor, verdict),
                Event::PauseRequested(_) => {
                    let goal = self.goal.as_mut().expect("a pause is requested of a goal");
                    assert!(goal.is_active() && !goal.pause_requested);
                    goal.pause_requested = true;
                }
                Event::PauseWithdrawn(_) => {
                    let goal = self.goal.as_mut().expect("a pause is withdrawn from a goal");
                    assert!(goal.pause_requested);
                    goal.pause_requested = false;
                }
                Event::RoundAdmitted(admitted) => self.round_admitted(admitted),
                Event::RoundEnded(ended) => self.round_ended(ended),
                Event::AttemptStarted(started) => self.attempt_started(started),
                Event::AttemptEnded(ended) => self.attempt_ended(ended),
                Event::TurnStopped(stopped) => self.turn_stopped(stopped),
                Event::MessageQueued(queued) => self.message_queued(queued),
                Event::MessageDelivered(delivered) => self.message_delivered(delivered),
                Event::ClaimMade(made) => self.claim_made(made),
                Event::VerdictRecorded(recorded) => {
                    self.verdict_recorded(recorded);
                    verdict = Some(recorded);
                }
                Event::SessionOpened(_) | Event::ClaimRefused(_) | Event::AuthorityRefused(_) => {}
                other => panic!("{} has no rules yet", other.kind()),
            }
        }
    }

    /// Who may cause what: an agent only in its turn, and only the few things of its role; anything else only reads.
    fn actor_may(&self, fact: &Fact) {
        if matches!(fact.event, Event::AuthorityRefused(_)) {
            return;
        }
        match &fact.actor {
            Actor::Human | Actor::Driver | Actor::Verifier => {}
            Actor::Policy => {
                let may = matches!(fact.event, Event::GoalChange(GoalChange::Resume(_)) | Event::PauseWithdrawn(_));
                assert!(may, "policy only resumes: {}", fact.event.kind());
            }
            Actor::Other { .. } => panic!("whoever is nobody caused {}", fact.event.kind()),
            Actor::Agent { attempt } => {
                let open = self.attempt.as_ref().expect("an agent acts in its turn only");
                assert_eq!(open.id, *attempt, "an agent acts in its own turn only");
                let report = matches!(fact.event, Event::ClaimMade(_) | Event::ClaimRefused(_));
                let refused = matches!(fact.event, Event::ClaimRefused(_));
                assert!(refused || !open.cancelled, "a stopped agent's {} counts no more", fact.event.kind());
                assert!(report || matches!(open.turn, Turn::Messages { .. }), "a round only reports");
            }
        }
    }

    /// Stops and what they revoke.
    fn stop(&mut self, by_agent: bool) {
        if by_agent {
            return;
        }
        self.messages.permit = false;
        self.messages.turn_stands = false;
        self.cancel();
    }

    fn cancel(&mut self) {
        if let Some(open) = &mut self.attempt {
            open.cancelled = true;
        }
    }

    /// The daemon stops, or its disk is full.
    pub fn disarmed(&mut self, cause: CancelCause) {
        self.armed = false;
        self.stopping = self.stopping || cause == CancelCause::DaemonStop;
        self.hushed = true;
        self.stop(false);
    }

    /// Another daemon read the log.
    pub fn restarted(&mut self) {
        self.armed = false;
        self.stopping = false;
        self.hushed = true;
        self.stop(false);
    }

    /// The step that the driver names, seen from outside: while nothing may run, none starts anything; while something
    /// may, there always is one.
    pub fn quiet_means_quiet(&self, step: &Step, checking: bool) {
        let messages = matches!(step, Step::DeliverMessages { .. });
        let round = matches!(step, Step::AdmitRound { .. } | Step::StartRound { .. });
        assert!(!(messages || round) || self.attempt.is_none(), "one attempt at a time");
        assert!(!(messages || round) || !checking, "no attempt while a check runs");
        let active = self.goal.as_ref().is_some_and(Picture::is_active);
        assert!(!round || (self.armed && active && !self.stopping), "{step:?} although no round may run");
        let may_deliver = (self.armed || self.messages.permit) && !self.stopping && !self.messages.queue.is_empty();
        assert!(!messages || may_deliver, "{step:?} although no message may be delivered");
        let idle = self.attempt.is_none() && !checking && !self.stopping;
        let stuck = self.armed && active && idle && matches!(step, Step::Nothing(_));
        assert!(!stuck, "armed, active and idle, and {step:?}");
    }
}
