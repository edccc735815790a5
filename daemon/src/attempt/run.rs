//! Driving a running tree to its end. Memory stays bounded whatever it prints, and reading never stops.

use super::intent::{Intent, Wish};
use super::output::{OutputFile, OutputState};
use crate::agent::{Adapter, AgentEvent, End, LineSplitter, Seen, Stop, Stream, Tail};
use crate::config::millis;
use crate::guard::{Control, EndStatus, Ended, Running, SpawnFailureKind};
use goald_schema::event::{CancelCause, Delivered, Failure, FailureKind, Outcome, TimeoutKind};
use goald_schema::usage::Usage;
use std::future::Future;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How much of standard error a failure quotes, in bytes.
const STDERR_TAIL: usize = 2 * 1024;
/// How long the pipes may stay open after the tree is gone.
const DRAIN: Duration = Duration::from_secs(2);

/// What an attempt may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// In all, while the machine is awake.
    pub total: Duration,
    /// Without printing anything.
    pub idle: Duration,
    /// Bytes of output that are kept.
    pub output_cap: u64,
}

/// How an attempt ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttemptReport {
    /// How.
    pub outcome: Outcome,
    /// Whether the prompt reached the agent.
    pub delivered: Delivered,
    /// What it used.
    pub usage: Option<Usage>,
    /// How long it worked, in milliseconds.
    pub worked_ms: u64,
    /// The agent's own session.
    pub agent_session: Option<String>,
    /// The agent's last words.
    pub final_text: Option<String>,
}

impl AttemptReport {
    /// Nobody saw the end.
    pub fn lost() -> Self {
        Self {
            outcome: Outcome::Lost,
            delivered: Delivered::Unknown,
            usage: None,
            worked_ms: 0,
            agent_session: None,
            final_text: None,
        }
    }
}

/// A hand on a running attempt.
#[derive(Debug)]
pub struct AttemptHandle {
    control: Control,
    wish: Wish,
    kill: CancellationToken,
    output: watch::Receiver<OutputState>,
}

impl AttemptHandle {
    /// Takes the prompt back as far as it was not read; see [`Control::fence`].
    pub fn fence(&self) -> impl Future<Output = Delivered> + use<> {
        let control = self.control.clone();
        async move { control.fence().await }
    }

    /// Begins the cancellation: interrupt, terminate, kill. A stronger cause replaces a weaker one.
    pub fn cancel(&self, cause: CancelCause) {
        self.wish.strengthen(Intent::Cancel(cause));
        self.control.cancel();
    }

    /// Ends the tree at once, without its guard's help.
    pub fn kill(&self) {
        self.kill.cancel();
    }

    /// How much it has printed.
    pub fn output(&self) -> watch::Receiver<OutputState> {
        self.output.clone()
    }
}

/// Drives an attempt in a task of its own.
pub fn start(
    running: Running,
    adapter: Box<dyn Adapter>,
    output: &Path,
    bounds: Bounds,
) -> (AttemptHandle, oneshot::Receiver<AttemptReport>) {
    let (file, printed) = OutputFile::create(output, bounds.output_cap);
    let (wish, kill) = (Wish::none(), CancellationToken::new());
    let control = running.control.clone();
    let handle = AttemptHandle { control, wish: wish.clone(), kill: kill.clone(), output: printed };
    let (report, ended) = oneshot::channel();
    let attempt = Attempt::new(adapter, file, wish);
    tokio::spawn(async move {
        let told = tokio::select! {
            told = attempt.drive(running, bounds) => told,
            () = kill.cancelled() => AttemptReport::lost(),
        };
        // A session that is gone has no use for it.
        drop(report.send(told));
    });
    (handle, ended)
}

/// What was heard of an attempt so far.
struct Attempt {
    adapter: Box<dyn Adapter>,
    output: OutputFile,
    wish: Wish,
    stderr: Tail,
    session: Option<String>,
    text: Option<String>,
    usage: Option<Usage>,
    terminal: Option<End>,
}

impl Attempt {
    fn new(adapter: Box<dyn Adapter>, output: OutputFile, wish: Wish) -> Self {
        let stderr = Tail::new(STDERR_TAIL);
        Self { adapter, output, wish, stderr, session: None, text: None, usage: None, terminal: None }
    }

    async fn drive(mut self, mut running: Running, bounds: Bounds) -> AttemptReport {
        let began = Instant::now();
        let mut out = Pipe::new(Stream::Stdout);
        let mut err = Pipe::new(Stream::Stderr);
        let (total, mut idle) = (began + bounds.total, began + bounds.idle);
        let mut ending = std::pin::pin!(running.ending());
        let mut ended: Option<Ended> = None;
        let mut drained = began;
        while ended.is_none() || !(out.closed && err.closed) {
            tokio::select! {
                count = out.read(&mut running.stdout), if !out.closed => {
                    self.hear(&mut out, count);
                    idle = Instant::now() + bounds.idle;
                }
                count = err.read(&mut running.stderr), if !err.closed => {
                    self.hear(&mut err, count);
                    idle = Instant::now() + bounds.idle;
                }
                end = &mut ending, if ended.is_none() => {
                    ended = Some(end);
                    drained = Instant::now() + DRAIN;
                }
                // Nothing of the tree is left, so nobody can hold the pipes for long.
                () = tokio::time::sleep_until(drained), if ended.is_some() => break,
                () = tokio::time::sleep_until(total), if ended.is_none() && self.wish.get().is_none() => {
                    self.time_out(&running.control, TimeoutKind::Round);
                }
                () = tokio::time::sleep_until(idle), if ended.is_none() && self.wish.get().is_none() => {
                    self.time_out(&running.control, TimeoutKind::Idle);
                }
            }
        }
        for pipe in [out, err] {
            let (stream, last) = pipe.finish();
            if let Some(line) = last {
                self.line(stream, &line);
            }
        }
        self.report(ended, millis(began.elapsed()))
    }

    fn time_out(&self, control: &Control, bound: TimeoutKind) {
        self.wish.strengthen(Intent::Timeout(bound));
        control.cancel();
    }

    fn hear(&mut self, pipe: &mut Pipe, count: usize) {
        let bytes = pipe.buffer.get(..count).unwrap_or_default();
        self.output.push(bytes);
        if pipe.stream == Stream::Stderr {
            self.stderr.push(bytes);
        }
        let mut lines = Vec::new();
        pipe.splitter.push(bytes, |line| lines.push(line));
        for line in lines {
            self.line(pipe.stream, &line);
        }
    }

    fn line(&mut self, stream: Stream, line: &crate::agent::Line) {
        for event in self.adapter.line(stream, line) {
            match event {
                AgentEvent::Session { id } => self.session = Some(id),
                AgentEvent::Text { text } => self.text = Some(text),
                AgentEvent::Usage(usage) => self.usage = Some(usage),
                AgentEvent::End(end) => self.terminal = Some(end),
                AgentEvent::ToolCall { .. }
                | AgentEvent::ToolResult { .. }
                | AgentEvent::Retry { .. }
                | AgentEvent::Warning { .. } => {}
            }
        }
    }

    /// The end: what the daemon intended first, then terminal event and exit status together.
    fn report(self, ended: Option<Ended>, worked_ms: u64) -> AttemptReport {
        let Self { adapter, output, wish, stderr, session, text, usage, terminal } = self;
        output.finish();
        let delivered = ended.as_ref().map_or(Delivered::Unknown, |ended| ended.delivered);
        let stderr = stderr.text();
        let seen = |stop| Seen { stop, terminal: terminal.as_ref(), stderr_tail: &stderr };
        let mut last_words = text;
        let outcome = match (wish.get(), ended.map(|ended| ended.status)) {
            (Some(Intent::Cancel(cause)), _) => Outcome::Interrupted { cause },
            (Some(Intent::Timeout(bound)), _) => Outcome::Timeout { bound },
            (None, None | Some(EndStatus::GuardLost)) => Outcome::Lost,
            (None, Some(EndStatus::SpawnFailed(failure))) => {
                let kind = match failure.kind {
                    SpawnFailureKind::Program => FailureKind::Spawn,
                    SpawnFailureKind::Folder => FailureKind::Workspace,
                };
                failed(kind, failure.message)
            }
            (None, Some(EndStatus::Code(code))) => by_itself(adapter.finish(&seen(Stop::Code(code))), &mut last_words),
            (None, Some(EndStatus::Signal(signal))) => {
                by_itself(adapter.finish(&seen(Stop::Signal(signal))), &mut last_words)
            }
        };
        AttemptReport { outcome, delivered, usage, worked_ms, agent_session: session, final_text: last_words }
    }
}

fn by_itself(end: End, last_words: &mut Option<String>) -> Outcome {
    match end {
        End::Completed { text } => {
            *last_words = text.or(last_words.take());
            Outcome::Completed
        }
        End::Failed(failure) => Outcome::Failed { failure },
    }
}

fn failed(kind: FailureKind, message: String) -> Outcome {
    Outcome::Failed { failure: Failure { kind, message, status: None, retry_after_ms: None } }
}

/// One of the two pipes that a tree prints to.
struct Pipe {
    stream: Stream,
    splitter: LineSplitter,
    buffer: Vec<u8>,
    closed: bool,
}

impl Pipe {
    fn new(stream: Stream) -> Self {
        Self { stream, splitter: LineSplitter::default(), buffer: vec![0; 64 * 1024], closed: false }
    }

    /// Reads some bytes into the buffer; none at the end. A pipe that cannot be read is at its end.
    async fn read(&mut self, from: &mut (impl AsyncRead + Unpin)) -> usize {
        let count = from.read(&mut self.buffer).await.unwrap_or(0);
        self.closed = count == 0;
        count
    }

    fn finish(self) -> (Stream, Option<crate::agent::Line>) {
        (self.stream, self.splitter.finish())
    }
}
