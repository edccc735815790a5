//! What was learnt from an attempt's output, whatever is printed in bounded memory.

use crate::agent::{Adapter, AgentEvent, End, LineSplitter, Stream, Tail};
use crate::redact;
use goald_core::prompt::head_and_tail;
use goald_schema::event::Failure;
use goald_schema::usage::Usage;

/// How much of standard error is kept for the message of a crash, in bytes.
pub const STDERR_TAIL: usize = 2 << 10;
/// How much of a final text is kept: its end, in bytes.
pub const FINAL_TEXT: usize = 64 << 10;
/// How much is kept of the words in which an agent says why it failed, in bytes. They stand in the log and in `status`.
pub const MESSAGE: usize = 4 << 10;
/// The longest id of an agent's own session, in bytes. It stands in the log too; a longer one is none.
pub const SESSION_ID: usize = 1 << 10;

/// Folds lines into what the report needs.
pub struct Collected {
    pub adapter: Box<dyn Adapter>,
    stdout: LineSplitter,
    stderr: LineSplitter,
    stderr_tail: Tail,
    facts: Facts,
}

/// How many of an agent's warnings go into the daemon's own log, of one attempt.
const LOGGED: u32 = 20;
/// How much of each, in bytes.
const LOGGED_BYTES: usize = 1 << 10;

/// What the agent said.
#[derive(Debug, Default)]
pub struct Facts {
    /// Its session.
    pub session: Option<String>,
    /// What it used.
    pub usage: Option<Usage>,
    /// Its last words: their end, as they were said.
    pub text: Option<Tail>,
    /// Its last terminal event.
    pub terminal: Option<End>,
    logged: u32,
}

impl Collected {
    pub fn new(adapter: Box<dyn Adapter>) -> Self {
        Self {
            adapter,
            stdout: LineSplitter::default(),
            stderr: LineSplitter::default(),
            stderr_tail: Tail::new(STDERR_TAIL),
            facts: Facts::default(),
        }
    }

    /// Takes what was read of a stream.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let Self { adapter, stdout, stderr, stderr_tail, facts } = self;
        let splitter = match stream {
            Stream::Stdout => stdout,
            Stream::Stderr => {
                stderr_tail.push(bytes);
                stderr
            }
        };
        splitter.push(bytes, |line| facts.take(adapter.line(stream, &line)));
    }

    /// The last lines, even without an end; then adapter, facts and the end of standard error.
    pub fn finish(self) -> (Box<dyn Adapter>, Facts, String) {
        let Self { mut adapter, stdout, stderr, stderr_tail, mut facts } = self;
        for (stream, splitter) in [(Stream::Stdout, stdout), (Stream::Stderr, stderr)] {
            if let Some(line) = splitter.finish() {
                facts.take(adapter.line(stream, &line));
            }
        }
        (adapter, facts, stderr_tail.text())
    }
}

impl Facts {
    fn take(&mut self, events: Vec<AgentEvent>) {
        for event in events {
            match event {
                AgentEvent::Session { id } if !is_session(&id) => {
                    self.log("the agent's session has an id that is none", &id);
                }
                // It is written down as it is, so it must not be a key.
                AgentEvent::Session { id } if redact::is_in(&id) => tracing::warn!("the agent's session id is a key"),
                AgentEvent::Session { id } => self.session = Some(id),
                AgentEvent::Text { text } => self.text = Some(tail_of(&text)),
                AgentEvent::Usage(usage) => self.usage = Some(usage),
                AgentEvent::End(end) => self.terminal = Some(bounded(end)),
                AgentEvent::Retry { after_ms } => tracing::debug!(after_ms, "the agent tries again by itself"),
                AgentEvent::HookBlocked { message } => self.log("a hook of the agent refused something", &message),
                AgentEvent::Warning { message } => self.log("the agent warns", &message),
                AgentEvent::ToolCall { .. } | AgentEvent::ToolResult { .. } => {}
            }
        }
    }

    /// A few words for the daemon's own log, which no agent may fill.
    fn log(&mut self, what: &str, words: &str) {
        if self.logged < LOGGED {
            self.logged += 1;
            tracing::info!(words = head_and_tail(words, LOGGED_BYTES), "{what}");
        }
    }
}

/// An agent's word about its end, in bounded length and without known keys.
fn bounded(end: End) -> End {
    match end {
        End::Completed { text } => End::Completed { text: text.map(|text| end_of(&text)) },
        End::Failed(failure) => {
            let message = head_and_tail(&redact::text(&failure.message), MESSAGE);
            End::Failed(Failure { message, ..failure })
        }
    }
}

/// The end of a text, in bounded length and without known keys.
pub fn end_of(text: &str) -> String {
    tail_of(text).text()
}

fn tail_of(text: &str) -> Tail {
    let mut tail = Tail::new(FINAL_TEXT);
    tail.push(text.as_bytes());
    tail
}

fn is_session(id: &str) -> bool {
    (1..=SESSION_ID).contains(&id.len()) && !id.chars().any(char::is_control)
}
