//! The loop: one thing at a time, then the steps that follow from it, then the new view for everyone who looks.

use super::commit::Origin;
use super::load::Loaded;
use super::mail::{Answer, Ask, Granted, Mail, SessionHandle, Thresholds};
use super::view::{Outputs, View};
use crate::attempt::AttemptHandle;
use crate::fresh;
use crate::scheduler::Slot;
use crate::shared::Shared;
use crate::store::Blob;
use goald_core::command::{AttemptReport, Driver};
use goald_core::live::{Signal, Worker};
use goald_core::{Command, Live, State, Step};
use goald_schema::Timestamp;
use goald_schema::event::{Event, Given};
use goald_schema::goal::WorkspaceUse;
use goald_schema::id::{AttemptId, EventId, SessionId};
use goald_schema::number::Position;
use goald_schema::protocol::status::SessionState;
use goald_schema::protocol::target::Environment;
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How many things may wait for a session before whoever sends more has to wait.
const MAILBOX: usize = 64;

/// One session's task.
pub(super) struct Task {
    pub id: SessionId,
    pub shared: Arc<Shared>,
    pub state: State,
    pub live: Live,
    pub position: Position,
    pub thresholds: Thresholds,
    pub environment: Option<Arc<Environment>>,
    pub slot: Option<Slot>,
    pub activity: Activity,
    pub attempt: Option<(AttemptId, AttemptHandle)>,
    /// An end that could not be recorded yet.
    pub unrecorded: Option<Box<Unrecorded>>,
    pub wake: Option<Instant>,
    pub shown: (SessionState, Timestamp),
    pub mail: mpsc::Sender<Box<Mail>>,
    view: watch::Sender<Arc<View>>,
    pub output: watch::Sender<Outputs>,
    gone: Option<oneshot::Sender<()>>,
}

/// An end that the log had no room for. It keeps the workspace from others until it is recorded.
#[derive(Debug)]
pub(super) struct Unrecorded {
    report: AttemptReport,
    blobs: Vec<Blob>,
    /// What is committed, by whomever: when that moves, there may be room again.
    committed: watch::Receiver<Position>,
}

/// What a task of the session's own is busy with.
#[derive(Debug)]
pub(super) enum Activity {
    /// Nothing.
    None,
    /// Waiting for the workspace and a slot.
    Acquiring { wish: Wish, work: AbortHandle },
    /// Making a prompt and a guard.
    Starting { step: Step, attempt: AttemptId, given: Option<Given>, token: String, work: AbortHandle },
    /// Checking criteria.
    Checking { attempt: AttemptId, cancel: CancellationToken },
    /// Ending what an earlier daemon's attempt left.
    Recovering,
}

/// What is waited for at the scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wish {
    pub worker: Worker,
    pub workspace_use: WorkspaceUse,
}

/// Starts a session's task.
pub fn spawn(shared: Arc<Shared>, id: SessionId, loaded: Loaded) -> SessionHandle {
    let (mail, mailbox) = mpsc::channel(MAILBOX);
    let now = shared.clock.now();
    let since = loaded.state.last_at.unwrap_or(now.wall);
    let live = Live::after_replay(&loaded.state, now);
    let (view, viewed) = watch::channel(Arc::new(View::default()));
    let (output, printed) = watch::channel(Outputs::default());
    let mut task = Box::new(Task {
        id,
        thresholds: shared.thresholds(),
        shared,
        state: loaded.state,
        live,
        position: loaded.position,
        environment: None,
        slot: None,
        activity: Activity::None,
        attempt: None,
        unrecorded: None,
        wake: None,
        shown: (SessionState::Idle, since),
        mail: mail.clone(),
        view,
        output,
        gone: None,
    });
    let first = task.look();
    task.view.send_replace(Arc::new(first));
    tokio::spawn(task.run(mailbox));
    SessionHandle { id, mail, view: viewed, output: printed }
}

impl Task {
    async fn run(mut self: Box<Self>, mut mailbox: mpsc::Receiver<Box<Mail>>) {
        // Boxed: between two mails, which is nearly always, a session then holds nothing of what handling one needs.
        Box::pin(self.settle()).await;
        loop {
            let wake = self.wake;
            let mail = tokio::select! {
                mail = mailbox.recv() => mail,
                () = sleep_until(wake) => {
                    self.wake = None;
                    Box::pin(self.settle()).await;
                    continue;
                }
                () = committed(&mut self.unrecorded) => {
                    Box::pin(self.record_what_is_open()).await;
                    Box::pin(self.settle()).await;
                    continue;
                }
            };
            match mail.map(|mail| *mail) {
                None | Some(Mail::Leave) => return,
                Some(mail) => Box::pin(self.handle(mail)).await,
            }
        }
    }

    /// Carries out what follows, then shows how things stand.
    async fn settle(&mut self) {
        self.drive().await;
        if !self.live.needs_environment() {
            self.environment = None;
        }
        let view = self.look();
        self.view.send_replace(Arc::new(view));
        if self.gone.is_some() && self.is_quiet() {
            // Nobody may be listening any more.
            self.gone.take().map(|gone| gone.send(()));
        }
    }

    fn is_quiet(&self) -> bool {
        self.attempt.is_none()
            && matches!(self.activity, Activity::None)
            && self.live.check == goald_core::live::CheckRun::None
    }

    async fn handle(&mut self, mail: Mail) {
        match mail {
            Mail::Ask(ask) => return self.answer(*ask).await,
            Mail::Look(answer) => {
                // Whoever asked may be gone.
                drop(answer.send(self.view.borrow().clone()));
                return;
            }
            Mail::Slot(slot) => self.slot_granted(slot),
            Mail::Guarded { attempt, guard } => self.guarded(attempt, guard).await,
            Mail::AttemptEnded { attempt, report } => self.attempt_ended(attempt, report).await,
            Mail::Checked { report, tails } => self.checked(*report, tails).await,
            Mail::CheckGone => self.live.signal(Signal::CheckGone),
            Mail::LogLost => self.stop_without_log().await,
            // Ended the loop already.
            Mail::Leave => {}
            Mail::Recovered { attempt, report } => self.recovered(attempt, report).await,
            Mail::Stop { fenced, gone } => {
                self.live.signal(Signal::Disarm(super::mail::DAEMON_STOP));
                self.enforce_stop().await;
                self.drive().await;
                // Nobody may be listening any more.
                fenced.send(()).ok();
                self.gone = Some(gone);
            }
        }
        self.settle().await;
    }

    async fn answer(&mut self, ask: Ask) {
        let Ask { command, actor, via, key, environment, blobs, thresholds, answer } = ask;
        if let Some(thresholds) = thresholds {
            self.thresholds = thresholds;
        }
        self.record_what_is_open().await;
        let first = key.map(|key| fresh::keyed(self.id, &key));
        let result = match self.repeated(first).await {
            Ok(Some(granted)) => Ok(granted),
            Ok(None) => {
                let committed = self.commit(command, Origin { actor: &actor, via, first }, blobs).await;
                if let (Ok(_), Some(environment)) = (&committed, environment) {
                    self.environment = Some(Arc::new(environment));
                }
                committed.map(|committed| committed.changed)
            }
            Err(error) => Err(error),
        };
        self.settle().await;
        let view = self.view.borrow().clone();
        let result: Answer = result.map(|changed| Granted { changed, view });
        // Whoever asked may be gone; the change stands.
        drop(answer.send(result));
    }

    /// A request whose first event is in the log already was granted before: its answer was lost.
    async fn repeated(&mut self, first: Option<EventId>) -> Result<Option<bool>, WireError> {
        let Some(id) = first else { return Ok(None) };
        let store = Arc::clone(&self.shared.store);
        let found = tokio::task::spawn_blocking(move || store.event(id)).await;
        let found = found.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?;
        if found.is_err() {
            // Whoever asks for a stop gets it, though it cannot be recorded.
            self.stop_without_log().await;
        }
        match found?.map(|record| record.event) {
            None => Ok(None),
            Some(Event::ClaimRefused(_)) => {
                Err(WireError::new(ErrorCode::ClaimRefused, "this report was refused before").hint("see goal log"))
            }
            Some(Event::AuthorityRefused(refused)) => Err(WireError::new(ErrorCode::NotPermitted, refused.why)),
            Some(_) => Ok(Some(true)),
        }
    }

    /// An attempt's end that met a full disk is recorded as soon as there is room.
    async fn record_what_is_open(&mut self) {
        if let Some(unrecorded) = self.unrecorded.take() {
            let Unrecorded { report, blobs, .. } = *unrecorded;
            self.record_end(report, blobs).await;
        }
    }

    /// Records an attempt's end, or keeps it until there is room.
    pub(super) async fn record_end(&mut self, report: AttemptReport, blobs: Vec<Blob>) {
        let mut committed = self.shared.store.position();
        committed.mark_unchanged();
        let command = Command::Driver(Driver::Ended(Box::new(report.clone())));
        if let Err(error) = self.commit(command, Origin::DRIVER, blobs.clone()).await {
            tracing::error!(session = %self.id, attempt = %report.attempt, %error, "an end could not be recorded yet");
            self.unrecorded = Some(Box::new(Unrecorded { report, blobs, committed }));
        }
    }
}

/// Returns when something was committed since an end could not be.
async fn committed(unrecorded: &mut Option<Box<Unrecorded>>) {
    if let Some(unrecorded) = unrecorded
        && unrecorded.committed.changed().await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}

async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
