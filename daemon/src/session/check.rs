//! Checking a turn: the criteria in the order that the core names, each under a guard of its own.

use super::commit::Origin;
use super::mail::Mail;
use super::task::{Activity, Task};
use crate::config::millis;
use crate::store::Blob;
use crate::verify;
use goald_core::Command;
use goald_core::command::{CheckReport, Driver};
use goald_core::live::{CheckRun, Signal};
use goald_core::next_check::{NextCheck, next_check};
use goald_schema::criterion::Criterion;
use goald_schema::id::AttemptId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// A verification as it is handed to its own task.
struct Plan {
    goal: PathBuf,
    criteria: Vec<Criterion>,
    workspace: String,
    environment: BTreeMap<String, String>,
    report: CheckReport,
    tails: Vec<Blob>,
}

impl Task {
    /// Starts checking the turn of this attempt, unless it is being checked.
    pub(super) fn check(&mut self, attempt: AttemptId) {
        if matches!(self.activity, Activity::Checking { .. }) {
            return;
        }
        let (Some(opened), Some(current), Some(turn)) =
            (&self.state.opened, &self.state.current, &self.state.unverified)
        else {
            return;
        };
        let caller = self.environment.clone().unwrap_or_default();
        let plan = Plan {
            goal: self.shared.home.guard.clone(),
            criteria: current.goal.criteria.clone(),
            workspace: opened.workspace.clone(),
            environment: caller.0.clone(),
            report: CheckReport {
                attempt,
                goal: turn.goal,
                content_revision: turn.content_revision,
                results: Vec::new(),
                worked_ms: 0,
            },
            tails: Vec::new(),
        };
        let cancel = CancellationToken::new();
        let unwanted = cancel.clone();
        let mail = self.mail.clone();
        tokio::spawn(async move {
            let told = match run(plan, &unwanted).await {
                Some(plan) => Mail::Checked { report: Box::new(plan.report), tails: plan.tails },
                None => Mail::CheckGone,
            };
            drop(mail.send(Box::new(told)).await);
        });
        self.live.signal(Signal::CheckStarted);
        self.activity = Activity::Checking { attempt, cancel };
    }

    /// Checking is over. A result that comes after its cancellation counts for nothing.
    pub(super) async fn checked(&mut self, report: CheckReport, tails: Vec<Blob>) {
        match &self.activity {
            Activity::Checking { attempt, .. } if *attempt == report.attempt => {}
            _ if self.live.check == CheckRun::Ending => return self.live.signal(Signal::CheckGone),
            _ => return,
        }
        self.activity = Activity::None;
        self.live.signal(Signal::CheckDone);
        let command = Command::Driver(Driver::Checked(Box::new(report)));
        if let Err(error) = self.commit(command, Origin::DRIVER, tails).await {
            tracing::error!(session = %self.id, %error, "a verdict could not be recorded; the turn stays unchecked");
        }
    }
}

/// Checks one criterion after another. Nothing once it is cancelled, when nothing of it runs any more: the workspace is
/// given back then, and not before.
async fn run(mut plan: Plan, cancel: &CancellationToken) -> Option<Plan> {
    let began = Instant::now();
    while let NextCheck::Check(criterion) = next_check(&plan.criteria, &plan.report.results) {
        let workspace = Path::new(&plan.workspace);
        let (mut result, tail) =
            verify::command::run(&plan.goal, criterion, workspace, &plan.environment, cancel).await?;
        if !tail.is_empty() {
            let blob = Blob::new(tail.into_bytes());
            result.output_tail = Some(blob.hash.clone());
            plan.tails.push(blob);
        }
        plan.report.results.push(result);
    }
    plan.report.worked_ms = millis(began.elapsed());
    Some(plan)
}
