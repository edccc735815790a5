//! The round driver: which one action a session takes next (`docs/rules.md`, "The round driver").
//!
//! A pure function of durable state, live state and time. The shell carries the step out and reports the result as a
//! command, which counts only while this function still names the step.

use crate::clock::{Mono, Now};
use crate::live::{CheckRun, Live, Worker};
use crate::state::{Current, OpenRound, State, Unverified};
use goald_schema::event::CancelCause;
use goald_schema::goal::BlockedReason;
use goald_schema::id::{AttemptId, MessageId};
use goald_schema::number::{AttemptNumber, Round};
use goald_schema::reason::Known;

/// The one thing to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Nothing, until something happens.
    Nothing(Why),
    /// Close an attempt that nobody runs any more.
    Recover {
        /// Which.
        attempt: AttemptId,
    },
    /// Wait for the workspace and a slot.
    Acquire(Worker),
    /// Deliver these messages in one turn.
    DeliverMessages {
        /// In order.
        messages: Vec<MessageId>,
        /// The attempt's number.
        number: AttemptNumber,
    },
    /// Check the turn that this attempt ended.
    Verify {
        /// Which.
        attempt: AttemptId,
    },
    /// Carry out a requested pause.
    Pause,
    /// Block the goal: a limit is spent.
    Block(BlockedReason),
    /// Use up the next round's number.
    AdmitRound {
        /// Which.
        round: Round,
    },
    /// Start an attempt of the open round.
    StartRound {
        /// Which.
        round: Round,
        /// The attempt's number.
        number: AttemptNumber,
    },
    /// Nothing before this time.
    Sleep {
        /// By the monotonic clock.
        until: Mono,
    },
}

/// Why there is nothing to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// An attempt runs.
    Running,
    /// A cancelled attempt or check is not gone yet.
    Ending(Option<CancelCause>),
    /// No round may start, and no message turn is permitted.
    Disarmed,
    /// The daemon is stopping.
    Stopping,
}

/// The one thing to do next.
pub fn next_step(state: &State, live: &Live, now: Now) -> Step {
    if let Some(open) = &state.attempt {
        return match live.running {
            Some(running) if running == open.id() => match live.cancelling {
                Some(cause) => Step::Nothing(Why::Ending(Some(cause))),
                None => Step::Nothing(Why::Running),
            },
            Some(_) | None => Step::Recover { attempt: open.id() },
        };
    }
    match (live.check, to_verify(state, live)) {
        // A verification that runs is not interrupted: messages wait for its end.
        (CheckRun::Running, Some(turn)) => return Step::Verify { attempt: turn.attempt },
        // One that nobody asks for any more must be gone before anything else starts in the workspace.
        (CheckRun::Running, None) | (CheckRun::Ending, _) => return Step::Nothing(Why::Ending(None)),
        (CheckRun::None, _) => {}
    }
    if live.stopping {
        return Step::Nothing(Why::Stopping);
    }
    let armed = live.is_armed();
    let mut sleep: Option<Mono> = None;
    if !state.queue.is_empty() && (armed || live.permit.turn) {
        match live.queue_due {
            Some(due) if due > now.mono => sleep = Some(due),
            Some(_) | None => return with_worker(live, Worker::Messages, deliver(state)),
        }
    }
    if let Some(turn) = to_verify(state, live) {
        return with_worker(live, Worker::Check, Step::Verify { attempt: turn.attempt });
    }
    match &state.current {
        Some(current) if armed && current.is_active() => earliest(sleep, rounds(current, live, now)),
        Some(_) | None => sleep.map_or(Step::Nothing(Why::Disarmed), |until| Step::Sleep { until }),
    }
}

/// The turn that is to be checked, if it may be.
pub(crate) fn to_verify<'a>(state: &'a State, live: &Live) -> Option<&'a Unverified> {
    let may = !live.stopping && (live.is_armed() || live.permit.check);
    state.unverified.as_ref().filter(|_| may)
}

fn rounds(current: &Current, live: &Live, now: Now) -> Step {
    if current.pause_requested {
        return Step::Pause;
    }
    // A round that was cut before its content changed is not continued: it ends with the next admission.
    let open = current.round.as_ref().filter(|open| open.content_revision == current.goal.content_revision);
    if let Some(open) = open {
        if open.failures >= current.goal.policy.max_attempts {
            return Step::Block(attempts_spent(open));
        }
        return match live.round_due {
            Some(due) if due > now.mono => Step::Sleep { until: due },
            Some(_) | None => {
                let step = Step::StartRound { round: open.round, number: open.next_number() };
                with_worker(live, Worker::Round, step)
            }
        };
    }
    if current.rounds_started >= current.goal.max_goal_rounds {
        return Step::Block(rounds_spent(current));
    }
    let round = Round(current.rounds_started.saturating_add(1));
    with_worker(live, Worker::Round, Step::AdmitRound { round })
}

fn deliver(state: &State) -> Step {
    let attempts = state.queue.iter().map(|queued| queued.attempts).max().unwrap_or(0);
    Step::DeliverMessages {
        messages: state.queue.iter().map(|queued| queued.id).collect(),
        number: AttemptNumber(attempts.saturating_add(1)),
    }
}

/// The step, once the workspace and a slot are held; a slot of whatever kind does for the session that has it.
fn with_worker(live: &Live, worker: Worker, step: Step) -> Step {
    if live.has_slot { step } else { Step::Acquire(worker) }
}

/// A message that is not due yet must not be slept past.
fn earliest(sleep: Option<Mono>, step: Step) -> Step {
    match (sleep, step) {
        (Some(messages), Step::Sleep { until }) => Step::Sleep { until: messages.min(until) },
        (_, step) => step,
    }
}

fn attempts_spent(open: &OpenRound) -> BlockedReason {
    let last = open.last_failure.as_ref().map_or("no failure is recorded", |failure| failure.message.as_str());
    let message = format!("round {} failed {} times; last: {last}", open.round, open.failures);
    BlockedReason { code: Known::AttemptLimit.into(), message }
}

fn rounds_spent(current: &Current) -> BlockedReason {
    let message = format!("all {} rounds are used up", current.goal.max_goal_rounds);
    BlockedReason { code: Known::RoundLimit.into(), message }
}
