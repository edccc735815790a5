//! Starting an attempt, in the order that keeps promises: the guard stands by with a closed gate, `attempt/started` is
//! durable, then the gate opens.

use super::commit::Origin;
use super::mail::Mail;
use super::prompt;
use super::task::{Activity, Task};
use super::view::RunningOutput;
use crate::attempt::{self, Bounds, OutputState, environment};
use crate::guard::{Guard, GuardError};
use crate::process::leftover;
use crate::store::Blob;
use crate::{agent, fresh};
use goald_core::command::{AttemptReport, Driver};
use goald_core::decide::Reply;
use goald_core::{Command, Step};
use goald_schema::agent::AgentProfile;
use goald_schema::event::{AttemptStarted, Delivered, Failure, FailureKind, Given, Outcome, Turn};
use goald_schema::goal::{BlockedReason, Policy};
use goald_schema::id::AttemptId;
use goald_schema::number::AttemptNumber;
use goald_schema::reason::Known;
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;

impl Task {
    /// The goal as an agent is told it now.
    pub(super) fn given(&self) -> Option<Given> {
        self.state.current.as_ref().map(|current| Given {
            reference: current.goal.reference(),
            content_revision: current.goal.content_revision,
        })
    }

    /// The agent that works now: the goal's while one is unfinished, else the session's own.
    pub(super) fn profile(&self) -> Option<&AgentProfile> {
        let unfinished = self.state.current.as_ref().filter(|current| !current.is_complete());
        unfinished.map(|current| &current.goal.agent).or(self.state.opened.as_ref().map(|opened| &opened.profile))
    }

    /// The agent session that the open attempt was told to continue: while it is open, the state has the total before it.
    pub(super) fn resumed(&self) -> agent::Resumed {
        let session = self.state.attempt.as_ref().and_then(|open| open.started.resumes.clone());
        agent::Resumed { session, used: self.state.agent_session_usage }
    }

    fn policy(&self) -> &Policy {
        self.state.current.as_ref().map_or(&self.thresholds.policy, |current| &current.goal.policy)
    }

    /// Makes the prompt and a guard in a task of their own.
    pub(super) fn start(&mut self, step: Step) {
        if matches!(self.activity, Activity::Starting { .. }) {
            return;
        }
        let (Some(opened), Some(profile)) = (&self.state.opened, self.profile()) else { return };
        let workspace = opened.workspace.clone();
        let profile = profile.clone();
        let attempt = AttemptId::from_uuid(fresh::uuid());
        let token = fresh::token();
        let given = self.given();
        let caller = self.environment.clone().unwrap_or_default();
        let variables = environment::of_attempt(
            &caller.0,
            environment::Attempt {
                attempt,
                token: &token,
                socket: &self.shared.home.socket,
                goal: &self.shared.home.program,
                round: match &step {
                    Step::StartRound { round, .. } => Some(*round),
                    _ => None,
                },
                agent_session: self.state.agent_session.as_deref(),
            },
        );
        let sources = prompt::Sources::of(self, &step);
        let shared = std::sync::Arc::clone(&self.shared);
        let mail = self.mail.clone();
        let work = tokio::spawn(async move {
            let guard = async {
                if !Path::new(&workspace).is_dir() {
                    let message = format!("the workspace {workspace} is gone or no folder");
                    return Err(BlockedReason { code: Known::WorkspaceMissing.into(), message });
                }
                let prompt = prompt::make(&shared, sources).await.map_err(cannot_hand_over)?;
                let blob = Blob::new(prompt.clone().into_bytes());
                let launch = agent::launch(&profile, workspace.into(), variables, prompt);
                let guard = Guard::spawn(&shared.home.guard, launch).await.map_err(cannot_hand_over)?;
                Ok((guard, blob))
            };
            let guard = guard.await;
            drop(mail.send(Box::new(Mail::Guarded { attempt, guard })).await);
        });
        self.activity = Activity::Starting { step, attempt, given, token, work: work.abort_handle() };
    }

    /// A guard stands by: record the attempt, then open the gate.
    pub(super) async fn guarded(&mut self, attempt: AttemptId, guard: Result<(Guard, Blob), BlockedReason>) {
        let (step, given, token) = match std::mem::replace(&mut self.activity, Activity::None) {
            Activity::Starting { step, attempt: of, given, token, .. } if of == attempt => (step, given, token),
            // It is no longer wanted: dropping the guard ends it, and nothing of it has run.
            other => {
                self.activity = other;
                return;
            }
        };
        let (guard, prompt) = match guard {
            Ok(ready) => ready,
            Err(reason) => {
                let command = Command::Driver(Driver::CannotStart(reason));
                if let Err(error) = self.commit(command, Origin::DRIVER, Vec::new()).await {
                    tracing::error!(session = %self.id, %error, "a failed start could not be recorded");
                }
                return;
            }
        };
        let Some((turn, number)) = turn_of(&step) else { return };
        let Some(profile) = self.profile().cloned() else { return };
        let started = AttemptStarted {
            attempt,
            turn,
            number,
            given,
            prompt: prompt.hash.clone(),
            guard: guard.process().clone(),
            program: agent::program(&profile).to_owned(),
            version: None,
            model: None,
            permissions: None,
            resumes: self.state.agent_session.clone(),
        };
        self.shared.tokens.issue(token, self.id, attempt);
        let command = Command::Driver(Driver::Started(Box::new(started)));
        let committed = self.commit(command, Origin::DRIVER, vec![prompt]).await;
        if committed.is_ok_and(|committed| committed.reply == Reply::Done && committed.changed) {
            self.open_gate(attempt, guard, &profile).await;
        } else {
            self.shared.tokens.revoke(attempt);
        }
    }

    async fn open_gate(&mut self, attempt: AttemptId, guard: Guard, profile: &AgentProfile) {
        let running = match guard.open() {
            Ok(running) => running,
            Err(error) => {
                // Nothing was printed: whoever follows is told so.
                let (_, state) = watch::channel(OutputState { len: 0, done: true });
                let path = self.shared.output_file(attempt);
                let output = RunningOutput { started: self.position, attempt, path, state };
                self.output.send_modify(|outputs| outputs.push(output));
                let report = not_handed_over(&error);
                return self.attempt_ended(attempt, report).await;
            }
        };
        let policy = self.policy();
        let bounds = Bounds {
            total: Duration::from_millis(policy.round_timeout_ms),
            idle: Duration::from_millis(policy.idle_timeout_ms),
            output_cap: self.shared.output_cap,
        };
        let path = self.shared.output_file(attempt);
        let (handle, ended) = attempt::start(running, agent::adapter(profile, self.resumed()), path.clone(), bounds);
        let output = RunningOutput { started: self.position, attempt, path, state: handle.output() };
        self.output.send_modify(|outputs| outputs.push(output));
        self.attempt = Some((attempt, handle));
        let mail = self.mail.clone();
        let guard = self.state.attempt.as_ref().map(|open| open.started.guard.clone());
        tokio::spawn(async move {
            let report = ended.await.unwrap_or_else(|_| lost());
            if let (Outcome::Lost, Some(guard)) = (&report.outcome, guard) {
                // Its agent died with the guard; what that had left running has lost its keeper.
                let left = tokio::task::spawn_blocking(move || leftover::end(attempt, &guard)).await;
                tracing::warn!(%attempt, ?left, "a guard was lost; what it held is ended");
            }
            drop(mail.send(Box::new(Mail::AttemptEnded { attempt, report })).await);
        });
    }

    /// An attempt is over and its tree is gone: its token is dead before its end is durable.
    pub(super) async fn attempt_ended(&mut self, attempt: AttemptId, report: attempt::AttemptReport) {
        self.shared.tokens.revoke(attempt);
        self.attempt = None;
        let final_text = report.final_text.map(|text| Blob::new(text.into_bytes()));
        let report = AttemptReport {
            attempt,
            outcome: report.outcome,
            delivered: report.delivered,
            usage: report.usage,
            worked_ms: report.worked_ms,
            agent_session: report.agent_session,
            final_text: final_text.as_ref().map(|blob| blob.hash.clone()),
        };
        self.record_end(report, final_text.into_iter().collect()).await;
    }
}

fn turn_of(step: &Step) -> Option<(Turn, AttemptNumber)> {
    match step {
        Step::StartRound { round, number } => Some((Turn::Round { round: *round }, *number)),
        Step::DeliverMessages { messages, number } => Some((Turn::Messages { messages: messages.clone() }, *number)),
        _ => None,
    }
}

fn cannot_hand_over(error: impl std::fmt::Display) -> BlockedReason {
    BlockedReason { code: Known::QueueFailed.into(), message: format!("the prompt could not be handed over: {error}") }
}

fn not_handed_over(error: &GuardError) -> attempt::AttemptReport {
    let failure = Failure {
        kind: FailureKind::Spawn,
        message: format!("the prompt could not be handed over: {error}"),
        status: None,
        retry_after_ms: None,
    };
    attempt::AttemptReport { outcome: Outcome::Failed { failure }, ..lost() }
}

/// Nobody saw the end.
pub(super) fn lost() -> attempt::AttemptReport {
    attempt::AttemptReport {
        outcome: Outcome::Lost,
        delivered: Delivered::Unknown,
        usage: None,
        worked_ms: 0,
        agent_session: None,
        final_text: None,
        leftovers: 0,
    }
}
