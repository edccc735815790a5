//! What a session's task can be told, and the handle by which it is told.

use super::view::{Outputs, View};
use crate::attempt::AttemptReport;
use crate::guard::Guard;
use crate::scheduler::Slot;
use crate::store::Blob;
use goald_core::Command;
use goald_core::command::CheckReport;
use goald_schema::actor::{Actor, Via};
use goald_schema::event::CancelCause;
use goald_schema::goal::{BlockedReason, Policy};
use goald_schema::id::{AttemptId, SessionId};
use goald_schema::protocol::target::Environment;
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// Everything that can happen to a session. Boxed where it waits: a mailbox keeps room for many, and most sessions are idle.
#[derive(Debug)]
pub enum Mail {
    /// Somebody asks for something.
    Ask(Box<Ask>),
    /// Somebody wants to know how things stand once everything before this is done.
    Look(oneshot::Sender<Arc<View>>),
    /// The workspace and a slot are this session's.
    Slot(Slot),
    /// A guard stands by with a closed gate, or could not be had.
    Guarded {
        /// For which attempt.
        attempt: AttemptId,
        /// The guard with the prompt it holds.
        guard: Result<(Guard, Blob), BlockedReason>,
    },
    /// An attempt is over.
    AttemptEnded {
        /// Which.
        attempt: AttemptId,
        /// How.
        report: AttemptReport,
    },
    /// Criteria were checked.
    Checked {
        /// What came out.
        report: Box<CheckReport>,
        /// The tails of what the checks printed.
        tails: Vec<Blob>,
    },
    /// A cancelled check is gone.
    CheckGone,
    /// What an attempt of an earlier daemon left behind is gone.
    Recovered {
        /// Which.
        attempt: AttemptId,
        /// How it ended, as far as its output says.
        report: AttemptReport,
    },
    /// The daemon stops.
    Stop {
        /// Answered when no prompt can be written any more.
        fenced: oneshot::Sender<()>,
        /// Answered when nothing of this session runs any more.
        gone: oneshot::Sender<()>,
    },
    /// The log takes no more events.
    LogLost,
    /// The session was never opened, and nobody will.
    Leave,
}

/// A command with who asks and what it brings along.
#[derive(Debug)]
pub struct Ask {
    /// What is wished.
    pub command: Command,
    /// Who wishes it.
    pub actor: Actor,
    /// By which door.
    pub via: Via,
    /// Makes a repeated request harmless.
    pub key: Option<String>,
    /// The environment that the agent gets from now on, if the wish is granted.
    pub environment: Option<Environment>,
    /// Texts that the events will name.
    pub blobs: Vec<Blob>,
    /// The configuration as it is now, if the wish depends on it.
    pub thresholds: Option<Thresholds>,
    /// Where the answer goes.
    pub answer: oneshot::Sender<Answer>,
}

/// The configuration's thresholds, for new goals and for turns without one.
#[derive(Clone, Debug)]
pub struct Thresholds {
    /// Frozen into a new goal.
    pub policy: Policy,
    /// The bound on rounds where none is said.
    pub default_max_rounds: u32,
}

/// The answer to an [`Ask`].
pub type Answer = Result<Granted, WireError>;

/// A wish was granted.
#[derive(Clone, Debug)]
pub struct Granted {
    /// Whether anything was written.
    pub changed: bool,
    /// How the session stands now.
    pub view: Arc<View>,
}

/// How the rest of the daemon speaks to a session.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    /// Its id.
    pub id: SessionId,
    pub(super) mail: mpsc::Sender<Box<Mail>>,
    pub(super) view: watch::Receiver<Arc<View>>,
    pub(super) output: watch::Receiver<Outputs>,
}

impl SessionHandle {
    /// Asks, and waits for the answer: durable, and fenced where it stops something.
    ///
    /// # Errors
    /// The refusal, or `internal` where the session's task is gone.
    pub async fn ask(&self, build: impl FnOnce(oneshot::Sender<Answer>) -> Ask) -> Answer {
        let (answer, answered) = oneshot::channel();
        let ask = build(answer);
        self.mail.send(Box::new(Mail::Ask(Box::new(ask)))).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }

    /// How it stands, not older than any event that somebody may have seen: everything that was told to the session
    /// before is done first.
    ///
    /// # Errors
    /// `internal` where the session's task is gone.
    pub async fn look(&self) -> Result<Arc<View>, WireError> {
        let (answer, answered) = oneshot::channel();
        self.mail.send(Box::new(Mail::Look(answer))).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())
    }

    /// How it stood last, and how to learn of changes.
    pub fn view(&self) -> watch::Receiver<Arc<View>> {
        self.view.clone()
    }

    /// What its attempts print.
    pub fn output(&self) -> watch::Receiver<Outputs> {
        self.output.clone()
    }

    /// Tells a session that was never opened that nobody will.
    pub fn leave(&self) {
        // Nobody else speaks to it: there is room, and its task runs.
        drop(self.mail.try_send(Box::new(Mail::Leave)));
    }

    /// Tells it that the log takes no more events.
    pub async fn log_lost(&self) {
        // A task that is gone runs nothing.
        drop(self.mail.send(Box::new(Mail::LogLost)).await);
    }

    /// Tells it that the daemon stops; both receivers also end when the task is gone.
    pub async fn stop(&self) -> (oneshot::Receiver<()>, oneshot::Receiver<()>) {
        let (fenced, is_fenced) = oneshot::channel();
        let (gone, is_gone) = oneshot::channel();
        // A task that is gone runs nothing: both receivers end at once.
        drop(self.mail.send(Box::new(Mail::Stop { fenced, gone })).await);
        (is_fenced, is_gone)
    }
}

fn gone() -> WireError {
    WireError::new(ErrorCode::Internal, "the session's task is gone")
        .hint("goal daemon restart, and see goal daemon logs")
}

/// The cause of a stop by the daemon itself.
pub const DAEMON_STOP: CancelCause = CancelCause::DaemonStop;
