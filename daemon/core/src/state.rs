//! The durable state of one session: what its events say, and nothing else.
//!
//! Only [`crate::evolve()`] changes it, live and on replay alike. What lives in memory only is [`crate::Live`].

use goald_schema::event::{AttemptStarted, Claim, Failure, Operation, SessionOpened, Verdict};
use goald_schema::goal::{Goal, Phase};
use goald_schema::id::{AttemptId, BlobHash, GoalId, MessageId};
use goald_schema::number::{AttemptNumber, Revision, Round, Seq};
use goald_schema::usage::Usage;
use goald_schema::{Actor, Timestamp};
use std::collections::HashSet;

/// One session.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// The last event's number; 0 before the first.
    pub seq: Seq,
    /// The session's own facts; none before `session/opened`.
    pub opened: Option<SessionOpened>,
    /// The current goal, a complete one too, until it is cleared or followed by another.
    pub current: Option<Current>,
    /// Every goal id that was ever used here.
    pub used_goals: HashSet<GoalId>,
    /// Messages that wait, in order; those of a running turn too.
    pub queue: Vec<Queued>,
    /// The back-off before the queue is tried again; gone when a newer message comes.
    pub queue_retry: Option<Retry>,
    /// The attempt that was started and has not ended. Boxed: nearly every session in memory has none.
    pub attempt: Option<Box<OpenAttempt>>,
    /// A turn that is over and not yet checked.
    pub unverified: Option<Unverified>,
    /// The agent's own session that the next attempt continues.
    pub agent_session: Option<String>,
    /// What the attempts of that agent session used so far, whatever goals they worked on.
    pub agent_session_usage: Usage,
    /// What was tried since the last goal was created by somebody who may not, for display.
    pub refusals: Refusals,
    /// When the last event was recorded.
    pub last_at: Option<Timestamp>,
}

/// The current goal with what the log says about its course.
#[derive(Clone, PartialEq, Debug)]
pub struct Current {
    /// The last snapshot.
    pub goal: Goal,
    /// Rounds used up.
    pub rounds_started: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Whether it is to be paused when its round ends.
    pub pause_requested: bool,
    /// The round that was admitted and has not ended.
    pub round: Option<OpenRound>,
    /// The last verdict, with its time.
    pub last_verdict: Option<(Timestamp, Verdict)>,
    /// The last claim that was recorded, for display.
    pub last_claim: Option<Claim>,
    /// What its attempts used.
    pub usage: Usage,
    /// How long its attempts and checks worked, in milliseconds.
    pub worked_ms: u64,
}

/// Refused tries: how many, and the last. However many there are, this stays small.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refusals {
    /// How many are on record.
    pub count: u64,
    /// The last of them.
    pub last: Option<Refusal>,
}

/// A refused try.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What.
    pub operation: Operation,
}

impl Current {
    /// Whether it is in phase `active`.
    pub const fn is_active(&self) -> bool {
        matches!(self.goal.phase, Phase::Active)
    }

    /// Whether it is complete.
    pub const fn is_complete(&self) -> bool {
        matches!(self.goal.phase, Phase::Complete(_))
    }
}

/// A round that is not over.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenRound {
    /// Its number.
    pub round: Round,
    /// The content it was admitted for.
    pub content_revision: Revision,
    /// Attempts started so far.
    pub attempts: u32,
    /// Retryable failures since the last human resume.
    pub failures: u32,
    /// The last failure of those, for the message when there are too many.
    pub last_failure: Option<Failure>,
    /// The back-off before the next attempt.
    pub retry: Option<Retry>,
    /// Whether an attempt of it was cut off, so that the next prompt says so.
    pub was_cut: bool,
}

impl OpenRound {
    /// The number of the next attempt.
    pub const fn next_number(&self) -> AttemptNumber {
        AttemptNumber(self.attempts.saturating_add(1))
    }
}

/// A delay before another attempt, as recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Retry {
    /// When, by the wall clock.
    pub at: Timestamp,
    /// How long after the failure, in milliseconds.
    pub after_ms: u64,
    /// What failed.
    pub failure: Failure,
}

/// A message that waits, or whose turn runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queued {
    /// Its id.
    pub id: MessageId,
    /// Its text.
    pub text: BlobHash,
    /// When it was sent.
    pub at: Timestamp,
    /// Attempts started with it.
    pub attempts: u32,
    /// Retryable failures with it.
    pub failures: u32,
}

/// An attempt that has not ended.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenAttempt {
    /// As recorded.
    pub started: AttemptStarted,
    /// When.
    pub at: Timestamp,
    /// Its last claim.
    pub claim: Option<Claim>,
    /// Whether a human stopped its message turn.
    pub stopped: bool,
}

impl OpenAttempt {
    /// Its id.
    pub const fn id(&self) -> AttemptId {
        self.started.attempt
    }
}

/// A turn that is over and not yet checked.
#[derive(Clone, PartialEq, Debug)]
pub struct Unverified {
    /// The attempt that ended it.
    pub attempt: AttemptId,
    /// Whose turn it was.
    pub occasion: TurnKind,
    /// The goal it worked on.
    pub goal: GoalId,
    /// The content that the attempt was given.
    pub content_revision: Revision,
    /// What the agent claimed, if its claim still stands.
    pub claim: Option<Claim>,
}

/// What kind of turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnKind {
    /// A goal's round.
    Round,
    /// A human's messages.
    Messages,
}
