//! From a session's state and its blobs to the prompt's data.

use super::task::Task;
use crate::shared::Shared;
use goald_core::Step;
use goald_core::prompt::{CheckFinding, PromptData, PromptError, Standing, TurnData, render};
use goald_core::state::State;
use goald_schema::criterion::{Check, CheckTrouble, CriterionResult};
use goald_schema::id::BlobHash;
use std::path::PathBuf;
use std::sync::Arc;

/// At this many rounds left the prompt says so.
const FEW_ROUNDS: u32 = 2;

/// What a prompt is made from: its data as far as the state has it, and the blobs that are still to be read.
#[derive(Debug)]
pub(super) struct Sources {
    data: PromptData,
    /// Texts of messages, in order.
    messages: Vec<BlobHash>,
    /// Output of the failed checks, in the order of `data.missing`.
    outputs: Vec<Option<BlobHash>>,
    /// The whole objective, to be laid where the agent can read it.
    objective: Option<BlobHash>,
}

/// A prompt that could not be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum CannotPrompt {
    #[error(transparent)]
    Template(#[from] PromptError),
    #[error("the log's texts cannot be read: {0}")]
    Store(#[from] crate::store::StoreError),
    #[error("the whole objective cannot be laid down as a file: {0}")]
    Objective(#[from] std::io::Error),
    #[error("the task that reads texts is gone: {0}")]
    Gone(#[from] tokio::task::JoinError),
}

impl Sources {
    /// What the state says, for this step.
    pub(super) fn of(task: &Task, step: &Step) -> Self {
        let state = &task.state;
        let current = state.current.as_ref();
        let (turn, was_cut, messages, rounds_left) = if let Step::DeliverMessages { .. } = step {
            let cut = state.queue.iter().any(|queued| queued.attempts > 0);
            let texts = state.queue.iter().map(|queued| queued.text.clone()).collect();
            (TurnData::Messages { texts: Vec::new() }, cut, texts, None)
        } else {
            let max = current.map_or(0, |current| current.goal.max_goal_rounds);
            let open = current.and_then(|current| current.round.as_ref());
            let round = open.map_or(0, |open| open.round.get());
            let left = max.saturating_sub(round);
            let few = (left <= FEW_ROUNDS).then_some(left);
            (TurnData::Round { round, max }, open.is_some_and(|open| open.was_cut), Vec::new(), few)
        };
        let (missing, outputs) = findings(state);
        let data = PromptData {
            turn,
            standing: if state.agent_session.is_some() { Standing::Known } else { Standing::Tell },
            objective: current.map(|current| current.goal.objective.text.clone()),
            objective_path: None,
            goal_id: current.map(|current| current.goal.id.to_string()),
            revision: current.map(|current| current.goal.revision.get()),
            phase: current.map(|current| current.goal.phase.name().as_str().to_owned()),
            checks: current.map_or_else(Vec::new, |current| {
                current.goal.criteria.iter().map(|criterion| command_of(&criterion.check)).collect()
            }),
            missing,
            was_cut,
            rounds_left,
            report: format!("{} agent", shell_quoted(&task.shared.home.program.to_string_lossy())),
        };
        let whole = current.and_then(|current| current.goal.objective.whole.as_ref());
        Self { data, messages, outputs, objective: whole.map(|whole| whole.blob.clone()) }
    }
}

fn shell_quoted(path: &str) -> String {
    shlex::try_quote(path).map_or_else(|_| path.to_owned(), std::borrow::Cow::into_owned)
}

fn command_of(check: &Check) -> String {
    match check {
        Check::Command(command) => command.run.clone(),
    }
}

/// What the last verdict about the goal's present content found missing.
fn findings(state: &State) -> (Vec<CheckFinding>, Vec<Option<BlobHash>>) {
    let Some(current) = &state.current else { return (Vec::new(), Vec::new()) };
    let Some((_, verdict)) = &current.last_verdict else { return (Vec::new(), Vec::new()) };
    if verdict.content_revision != current.goal.content_revision {
        return (Vec::new(), Vec::new());
    }
    let unmet = verdict.results.iter().filter(|result| !result.met);
    unmet
        .filter_map(|result| {
            let criterion = current.goal.criteria.iter().find(|criterion| criterion.id == result.criterion)?;
            let run = command_of(&criterion.check);
            let finding = CheckFinding { run, outcome: outcome_of(result), output: String::new() };
            Some((finding, result.output_tail.clone()))
        })
        .unzip()
}

fn outcome_of(result: &CriterionResult) -> String {
    match (&result.trouble, result.exit_code) {
        (Some(CheckTrouble::CannotRun { message }), _) => format!("could not be run: {message}"),
        (Some(CheckTrouble::Killed { signal }), _) => format!("killed by signal {signal}"),
        (Some(CheckTrouble::TimedOut { after_ms }), _) => format!("timed out after {} s", after_ms / 1_000),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "no exit code".to_owned(),
    }
}

/// Reads the texts and renders.
pub(super) async fn make(shared: &Arc<Shared>, sources: Sources) -> Result<String, CannotPrompt> {
    let shared = Arc::clone(shared);
    tokio::task::spawn_blocking(move || {
        let Sources { mut data, messages, outputs, objective } = sources;
        if let TurnData::Messages { texts } = &mut data.turn {
            for hash in &messages {
                texts.push(text(&shared, hash)?);
            }
        }
        for (finding, hash) in data.missing.iter_mut().zip(&outputs) {
            if let Some(hash) = hash {
                finding.output = text(&shared, hash)?;
            }
        }
        if let Some(hash) = objective {
            data.objective_path = lay_down(&shared, &hash)?.map(|path| path.to_string_lossy().into_owned());
        }
        Ok(render(&data.bounded())?)
    })
    .await?
}

/// A blob as text. One that is gone is named as gone: evidence that is missing is reported, never fatal.
fn text(shared: &Shared, hash: &BlobHash) -> Result<String, crate::store::StoreError> {
    let bytes = shared.store.blob(hash)?;
    Ok(bytes.map_or_else(|| "[purged]".to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The stored copy of a long objective, as a file that the agent can read; none once it is purged with its goal.
fn lay_down(shared: &Shared, hash: &BlobHash) -> Result<Option<PathBuf>, CannotPrompt> {
    let path = shared.objective_file(hash);
    if !path.exists() {
        let Some(bytes) = shared.store.blob(hash)? else { return Ok(None) };
        crate::private_file::write(&path, &bytes)?;
    }
    Ok(Some(path))
}
