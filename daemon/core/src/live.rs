//! What lives in memory only: the second fold beside the durable state.
//!
//! Activation follows from appended `goal/change` events, never from replay, so a restarted daemon is disarmed by
//! construction: a new [`Live`] is. Nothing here is ever written down.

use crate::clock::{Mono, Now};
use crate::decide::Fact;
use crate::state::{Retry, State, TurnKind};
use goald_schema::Actor;
use goald_schema::event::{CancelCause, Event, GoalChange, Next, Turn};
use goald_schema::id::AttemptId;
use goald_schema::protocol::status::Activation;

/// At most this many events by tool calls are recorded an attempt; the rest is counted.
pub const EVENTS_PER_ATTEMPT: u64 = 200;

/// What a slot is wanted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worker {
    /// A round of a goal.
    Round,
    /// Human messages: one slot more than the limit is kept for them.
    Messages,
    /// A verification.
    Check,
}

/// What a `say` permits in a disarmed session: one turn for everything queued, and the check of what it claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Permit {
    /// A message turn may start.
    pub turn: bool,
    /// What the turn claims may be checked.
    pub check: bool,
}

/// Whether criteria are being checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckRun {
    /// They are not.
    None,
    /// They are.
    Running,
    /// A cancelled check is not gone yet.
    Ending,
}

/// The live state of one session.
#[derive(Clone, PartialEq, Debug)]
pub struct Live {
    /// May the driver start rounds?
    pub activation: Activation,
    /// What a `say` permits although the session is disarmed.
    pub permit: Permit,
    /// The attempt that this daemon runs.
    pub running: Option<AttemptId>,
    /// Whose turn the open attempt is in.
    pub turn: Option<TurnKind>,
    /// Why it is being cancelled, the strongest cause so far.
    pub cancelling: Option<CancelCause>,
    /// Whether criteria are being checked.
    pub check: CheckRun,
    /// The workspace and a slot are held.
    pub has_slot: bool,
    /// When the open round's next attempt is due.
    pub round_due: Option<Mono>,
    /// When waiting messages are due.
    pub queue_due: Option<Mono>,
    /// A message interrupted what ran: workspace and slot are kept for its turn.
    pub interrupted: bool,
    /// The daemon is stopping.
    pub stopping: bool,
    /// Events that the running attempt caused by tool calls.
    pub attempt_events: u64,
    /// Refusals of whoever is neither person nor agent, since the last attempt began.
    pub others_events: u64,
    /// Those over the bound, which were not recorded.
    pub suppressed: u64,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            activation: Activation::Disarmed,
            permit: Permit::default(),
            running: None,
            turn: None,
            cancelling: None,
            check: CheckRun::None,
            has_slot: false,
            round_due: None,
            queue_due: None,
            interrupted: false,
            stopping: false,
            attempt_events: 0,
            others_events: 0,
            suppressed: 0,
        }
    }
}

/// What the shell tells the fold beside events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// The workspace and a slot are held.
    SlotGranted,
    /// They were given back.
    SlotReleased,
    /// A check began.
    CheckStarted,
    /// A check is over, its result in hand.
    CheckDone,
    /// A check was cancelled; its processes are on their way out.
    CheckCancelled,
    /// They are gone.
    CheckGone,
    /// The daemon stops, or the disk is full: nothing starts any more.
    Disarm(CancelCause),
    /// A report of the running attempt was not recorded: it is over the bound.
    Suppressed,
}

impl Live {
    /// A session as it is right after its log was replayed: disarmed, with what is left of its back-off.
    pub fn after_replay(state: &State, now: Now) -> Self {
        Self {
            round_due: open_retry(state).map(|retry| left(retry, now)),
            queue_due: state.queue_retry.as_ref().map(|retry| left(retry, now)),
            turn: state.attempt.as_ref().map(|open| kind(&open.started.turn)),
            ..Self::default()
        }
    }

    /// May the driver start rounds?
    pub fn is_armed(&self) -> bool {
        self.activation == Activation::Armed
    }

    /// Whether anything may still happen by itself: while not, the caller's environment is forgotten.
    pub fn needs_environment(&self) -> bool {
        self.is_armed()
            || self.permit.turn
            || self.permit.check
            || self.running.is_some()
            || self.check == CheckRun::Running
    }

    /// Folds one appended fact in. `state` is the durable state after it.
    pub fn observe(&mut self, state: &State, fact: &Fact, now: Now) {
        match fact.actor {
            Actor::Agent { .. } => self.attempt_events = self.attempt_events.saturating_add(1),
            Actor::Other { .. } => self.others_events = self.others_events.saturating_add(1),
            Actor::Human | Actor::Driver | Actor::Verifier | Actor::Policy => {}
        }
        match &fact.event {
            Event::GoalChange(change) => self.goal_change(state, change, &fact.actor, now),
            Event::MessageQueued(queued) => {
                self.queue_due = None;
                if queued.interrupts.is_some() {
                    self.interrupt();
                }
                if !self.is_armed() && !self.stopping {
                    self.permit.turn = true;
                }
            }
            Event::TurnStopped(stopped) => {
                self.revoke_permits();
                if stopped.attempt.is_some() {
                    self.cancel(stopped.cause);
                }
            }
            Event::AttemptStarted(started) => {
                self.running = Some(started.attempt);
                self.interrupted = false;
                self.turn = Some(kind(&started.turn));
                self.cancelling = None;
                self.attempt_events = 0;
                self.others_events = 0;
                self.suppressed = 0;
                match started.turn {
                    Turn::Round { .. } => self.round_due = None,
                    Turn::Messages { .. } => {
                        self.queue_due = None;
                        self.permit.turn = false;
                        self.permit.check = true;
                    }
                }
            }
            Event::AttemptEnded(ended) => self.attempt_ended(state, &ended.next, now),
            // A check whose verdict is discarded still runs: its slot is given back when it is gone.
            Event::VerdictRecorded(_) => self.has_slot = self.has_slot && self.check != CheckRun::None,
            // A back-off belongs to the round it was recorded for.
            Event::RoundAdmitted(_) => self.round_due = None,
            Event::SessionOpened(_)
            | Event::PauseRequested(_)
            | Event::PauseWithdrawn(_)
            | Event::RoundEnded(_)
            | Event::MessageDelivered(_)
            | Event::ClaimMade(_)
            | Event::ClaimRefused(_)
            | Event::HoldOpened(_)
            | Event::HoldClosed(_)
            | Event::QuestionAsked(_)
            | Event::QuestionAnswered(_)
            | Event::EffectBegun(_)
            | Event::EffectFinished(_)
            | Event::AuthorityRefused(_)
            | Event::PermissionSuspended(_) => {}
        }
        if state.unverified.is_none() && self.running.is_none() {
            self.permit.check = false;
        }
        if state.queue.is_empty() {
            self.permit.turn = false;
        }
    }

    /// Folds a signal of the shell in.
    pub fn signal(&mut self, signal: Signal) {
        match signal {
            Signal::SlotGranted => self.has_slot = true,
            Signal::SlotReleased => self.has_slot = false,
            Signal::CheckStarted => self.check = CheckRun::Running,
            Signal::CheckDone => self.check = CheckRun::None,
            Signal::CheckCancelled => self.check = CheckRun::Ending,
            Signal::CheckGone => {
                self.check = CheckRun::None;
                self.has_slot = self.has_slot && self.interrupted;
            }
            Signal::Disarm(cause) => {
                self.activation = Activation::Disarmed;
                self.revoke_permits();
                self.stopping = self.stopping || cause == CancelCause::DaemonStop;
                self.cancel(cause);
            }
            Signal::Suppressed => self.suppressed = self.suppressed.saturating_add(1),
        }
    }

    fn goal_change(&mut self, state: &State, change: &GoalChange, actor: &Actor, now: Now) {
        let by_agent = matches!(actor, Actor::Agent { .. });
        match change {
            GoalChange::Edit(_) => {}
            GoalChange::Create(_) | GoalChange::Resume(_) => {
                self.activation = Activation::Armed;
                // A human's resume has reset the back-off; an agent's has not.
                self.round_due = open_retry(state).map(|retry| left(retry, now));
            }
            GoalChange::Pause(_) => {
                self.disarm();
                // An agent that pauses in a human's turn goes on with that turn.
                if !by_agent {
                    self.revoke_permits();
                    self.cancel(CancelCause::Pause);
                }
            }
            GoalChange::Complete(_) => {
                self.disarm();
                self.cancel(CancelCause::Complete);
            }
            GoalChange::Block(_) => {
                self.disarm();
                // A person who stops the goal stops the check of what was claimed too.
                if *actor == Actor::Human {
                    self.permit.check = false;
                }
                self.cancel(CancelCause::Block);
            }
            GoalChange::Clear(_) => {
                self.disarm();
                self.revoke_permits();
                self.cancel(CancelCause::Clear);
            }
        }
    }

    fn attempt_ended(&mut self, state: &State, next: &Next, now: Now) {
        let messages = !state.queue.is_empty() && self.permit.check && !self.is_armed();
        let turn = self.turn.take();
        self.running = None;
        self.cancelling = None;
        self.has_slot = self.has_slot && (state.unverified.is_some() || self.interrupted);
        let Next::Retry { after_ms, .. } = next else { return };
        let due = Some(now.mono.plus(*after_ms));
        match turn {
            Some(TurnKind::Round) => self.round_due = due,
            // Without a recorded back-off a newer message has made all due.
            Some(TurnKind::Messages) => {
                self.queue_due = due.filter(|_| state.queue_retry.is_some());
                // The permitted turn is not over: it may be tried again.
                self.permit.turn = self.permit.turn || messages;
            }
            None => {}
        }
    }

    fn disarm(&mut self) {
        self.activation = Activation::Disarmed;
        self.round_due = None;
    }

    fn revoke_permits(&mut self) {
        self.permit = Permit::default();
    }

    /// For a message: the attempt is cut, a check is given up, and the session stays as armed as it was.
    fn interrupt(&mut self) {
        self.interrupted = true;
        self.cancel(CancelCause::Message);
        if self.check == CheckRun::Running {
            self.check = CheckRun::Ending;
        }
    }

    /// Only what runs can be cancelled; a stronger cause replaces a weaker one.
    fn cancel(&mut self, cause: CancelCause) {
        if self.running.is_some() {
            self.cancelling = Some(self.cancelling.map_or(cause, |earlier| earlier.max(cause)));
        }
    }
}

const fn kind(turn: &Turn) -> TurnKind {
    match turn {
        Turn::Round { .. } => TurnKind::Round,
        Turn::Messages { .. } => TurnKind::Messages,
    }
}

fn open_retry(state: &State) -> Option<&Retry> {
    state.current.as_ref()?.round.as_ref()?.retry.as_ref()
}

/// When a recorded back-off is due: what is left of it by the wall clock, but never more than it was.
fn left(retry: &Retry, now: Now) -> Mono {
    now.mono.plus(retry.at.since(now.wall).min(retry.after_ms))
}
