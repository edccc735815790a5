//! Carrying out the step that the core names.

use super::commit::Origin;
use super::mail::Mail;
use super::start::lost;
use super::task::{Activity, Task, Wish};
use crate::agent;
use crate::attempt::{AttemptReport, afterwards};
use crate::crash::{self, Place};
use crate::process::leftover::{self, Mark};
use crate::scheduler::Slot;
use goald_core::command::Driver;
use goald_core::live::{CheckRun, Signal, Worker};
use goald_core::next_step::Why;
use goald_core::{Command, Step, next_step};
use goald_schema::goal::WorkspaceUse;
use goald_schema::id::AttemptId;
use std::path::PathBuf;

impl Task {
    /// Takes steps until one has to be waited for.
    pub(super) async fn drive(&mut self) {
        self.wake = None;
        loop {
            self.drop_unfit_slot();
            let step = next_step(&self.state, &self.live, self.shared.clock.now());
            self.drop_stale_activity(&step);
            self.give_slot_back(&step);
            match step {
                Step::Nothing(_) => return,
                Step::Sleep { until } => {
                    self.wake = Some(self.shared.clock.instant(until));
                    return;
                }
                Step::Recover { attempt } => return self.recover(attempt),
                Step::Acquire(worker) => return self.acquire(worker),
                Step::DeliverMessages { .. } | Step::StartRound { .. } => return self.start(step),
                Step::Verify { attempt } => return self.check(attempt),
                Step::Pause | Step::Block(_) | Step::AdmitRound { .. } => {
                    let admits = matches!(step, Step::AdmitRound { .. });
                    let command = Command::Driver(Driver::Carry(step));
                    if self.commit(command, Origin::DRIVER, Vec::new()).await.is_err() {
                        if self.live.is_armed() {
                            return;
                        }
                        // The log took no more: what is held for this step is given back.
                        continue;
                    }
                    if admits {
                        crash::at(Place::RoundAdmitted);
                    }
                }
            }
        }
    }

    /// What is being prepared for a step that is no longer asked for is given up. Nothing of it has run yet, but for
    /// checks, whose processes are ended.
    fn drop_stale_activity(&mut self, step: &Step) {
        let given = self.given();
        let stale = match (&self.activity, step) {
            (Activity::None | Activity::Recovering, _) => false,
            (Activity::Acquiring { wish, .. }, Step::Acquire(worker)) => *wish != self.wish(*worker),
            (Activity::Starting { step: of, given: told, .. }, step) => of != step || *told != given,
            (Activity::Checking { attempt, .. }, Step::Verify { attempt: of }) => attempt != of,
            (Activity::Acquiring { .. } | Activity::Checking { .. }, _) => true,
        };
        if !stale {
            return;
        }
        match std::mem::replace(&mut self.activity, Activity::None) {
            Activity::None | Activity::Recovering => {}
            Activity::Acquiring { work, .. } | Activity::Starting { work, .. } => work.abort(),
            Activity::Checking { cancel, .. } => {
                cancel.cancel();
                self.live.signal(Signal::CheckCancelled);
            }
        }
    }

    /// Workspace and slot are held only for a worker: not while nothing may start, nor through a delay.
    fn give_slot_back(&mut self, step: &Step) {
        let idle = matches!(step, Step::Sleep { .. } | Step::Nothing(Why::Disarmed | Why::Stopping));
        if idle && self.live.check != CheckRun::Ending {
            self.live.signal(Signal::SlotReleased);
        }
        if !self.live.has_slot {
            self.slot = None;
        }
    }

    /// A slot that was got for a goal that shares the workspace does for no other, nor the other way round.
    fn drop_unfit_slot(&mut self) {
        let used = self.state.attempt.is_some() || self.live.check != CheckRun::None;
        let wanted = self.workspace_use();
        if !used && self.slot.as_ref().is_some_and(|slot| slot.workspace_use() != wanted) {
            self.live.signal(Signal::SlotReleased);
            self.slot = None;
        }
    }

    /// Whether this session works beside others in its workspace: its goal says so, while it has one to reach.
    fn workspace_use(&self) -> WorkspaceUse {
        let unfinished = self.state.current.as_ref().filter(|current| !current.is_complete());
        unfinished.map_or(WorkspaceUse::Alone, |current| current.goal.policy.workspace_use)
    }

    fn wish(&self, worker: Worker) -> Wish {
        Wish { worker, workspace_use: self.workspace_use() }
    }

    fn acquire(&mut self, worker: Worker) {
        if matches!(self.activity, Activity::Acquiring { .. }) {
            return;
        }
        let Some(opened) = &self.state.opened else { return };
        let wish = self.wish(worker);
        let (scheduler, workspace) = (self.shared.scheduler.clone(), PathBuf::from(&opened.workspace));
        let mail = self.mail.clone();
        let work = tokio::spawn(async move {
            // Two names of one folder are one tree. One that is gone is waited for by its name, and missed later.
            let tree = tokio::fs::canonicalize(&workspace).await.unwrap_or(workspace);
            if let Ok(slot) = scheduler.request(&tree, wish.workspace_use, wish.worker).await {
                // A session that is gone drops the slot with its mailbox.
                drop(mail.send(Box::new(Mail::Slot(slot))).await);
            }
        });
        self.activity = Activity::Acquiring { wish, work: work.abort_handle() };
    }

    pub(super) fn slot_granted(&mut self, slot: Slot) {
        // One that comes after its wish was given up is dropped, and so handed on.
        if let Activity::Acquiring { wish, work } = &self.activity
            && wish.workspace_use == slot.workspace_use()
        {
            // It may be that of an earlier wish, and this one still waits.
            work.abort();
            self.activity = Activity::None;
            self.slot = Some(slot);
            self.live.signal(Signal::SlotGranted);
        }
    }

    /// An attempt that no one runs: what it left is ended first, then its end is recorded.
    fn recover(&mut self, attempt: AttemptId) {
        // An end that could not be recorded waits for room, not for another search.
        if matches!(self.activity, Activity::Recovering) || self.unrecorded.is_some() {
            return;
        }
        let Some(open) = &self.state.attempt else { return };
        let Some(profile) = self.profile() else { return };
        let (guard, adapter) = (open.started.guard.clone(), agent::adapter(profile, self.resumed()));
        let output = self.shared.output_file(attempt);
        let mail = self.mail.clone();
        self.activity = Activity::Recovering;
        tokio::spawn(async move {
            let looked = tokio::task::spawn_blocking(move || {
                crash::at(Place::RecoveryBegun);
                let left = leftover::end(&Mark::attempt(attempt), &guard);
                crash::at(Place::LeftoversEnded);
                tracing::info!(%attempt, left, "ended what an attempt had left");
                afterwards::read(&output, adapter)
            });
            let report = looked.await.unwrap_or_else(|error| {
                tracing::error!(%attempt, %error, "could not look for what an attempt had left");
                lost()
            });
            drop(mail.send(Box::new(Mail::Recovered { attempt, report })).await);
        });
    }

    pub(super) async fn recovered(&mut self, attempt: AttemptId, report: AttemptReport) {
        self.activity = Activity::None;
        self.attempt_ended(attempt, report).await;
        crash::at(Place::RecoveryRecorded);
    }
}
