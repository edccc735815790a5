//! The loop of one attempt: read everything, mind the bounds, wait until nothing of the tree is left, tell the outcome.

use super::collected::Collected;
use super::handle::{AttemptHandle, OutputState};
use super::intent::Intent;
use super::outcome::outcome;
use super::output::Output;
use super::timers::Timers;
use crate::agent::Adapter;
use crate::guard::{EndStatus, Pipes, Running};
use goald_schema::event::{Delivered, Outcome};
use goald_schema::usage::Usage;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

/// How long the end of the output is waited for when the tree has ended. It comes at once, unless the agent gave its
/// output to a process outside its tree.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How much an attempt may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// From its start to its end, while the machine is awake.
    pub total: Duration,
    /// Without output.
    pub idle: Duration,
    /// How many bytes of output are kept.
    pub output_cap: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { total: Duration::from_hours(2), idle: Duration::from_mins(30), output_cap: 64 << 20 }
    }
}

/// What became of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttemptReport {
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the prompt reached the agent.
    pub delivered: Delivered,
    /// What it used, where the agent says it.
    pub usage: Option<Usage>,
    /// How long it ran, in milliseconds of the machine being awake.
    pub worked_ms: u64,
    /// The agent's own session.
    pub agent_session: Option<String>,
    /// The agent's last words: at most 64 KiB, the end.
    pub final_text: Option<String>,
    /// How many processes were left when the agent ended by itself, and were killed.
    pub leftovers: u32,
}

/// Drives a running agent to its end. The task is the attempt: aborting it, or the end of the runtime, kills the tree.
/// It ends when nothing of the tree is left and the output file is whole.
pub fn start(
    running: Running,
    adapter: Box<dyn Adapter>,
    output: PathBuf,
    bounds: Bounds,
) -> (AttemptHandle, JoinHandle<AttemptReport>) {
    let intent = watch::Sender::new(None);
    let (state, followed) = watch::channel(OutputState::default());
    let handle = AttemptHandle { control: running.control.clone(), intent: intent.clone(), output: followed };
    let task = tokio::spawn(async move {
        let output = Output::create(&output, bounds.output_cap, state).await;
        drive(running, Collected::new(adapter), output, bounds, intent).await
    });
    (handle, task)
}

async fn drive(
    running: Running,
    mut collected: Collected,
    mut output: Output,
    bounds: Bounds,
    intent: watch::Sender<Option<Intent>>,
) -> AttemptReport {
    let begun = Instant::now();
    let Running { stdout, stderr, control, mut tree } = running;
    let mut pipes = Pipes::new(stdout, stderr);
    let mut timers = Timers::new(begun, bounds);
    // Reading never stops, whatever is printed: a full pipe would hold up the agent.
    let ended = loop {
        tokio::select! {
            ended = tree.ended() => break ended,
            (stream, bytes) = pipes.read() => {
                timers.heard(Instant::now());
                collected.push(stream, bytes);
                output.write(bytes).await;
            }
            bound = timers.expired() => {
                intent.send_modify(|intent| *intent = Some(Intent::stronger(*intent, Intent::Timeout(bound))));
                control.cancel();
            }
        }
    };
    let worked_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    if ended.status == EndStatus::GuardLost {
        tracing::warn!("the guard of an attempt was lost");
    }
    let last_words = async {
        while pipes.any_open() {
            let (stream, bytes) = pipes.read().await;
            collected.push(stream, bytes);
            output.write(bytes).await;
        }
    };
    // Out of patience: what is still to come is from outside the tree.
    let _elapsed = timeout(LAST_WORDS, last_words).await;
    output.finish().await;

    let (adapter, facts, stderr_tail) = collected.finish();
    // Read at the very last: a cancellation that was accepted is never reported as anything else.
    let intent = *intent.borrow();
    let (outcome, text) = outcome(intent, &ended.status, adapter, facts.terminal.as_ref(), &stderr_tail);
    AttemptReport {
        outcome,
        delivered: ended.delivered,
        usage: facts.usage,
        worked_ms,
        agent_session: facts.session,
        final_text: text.or(facts.text),
        leftovers: ended.leftovers,
    }
}
