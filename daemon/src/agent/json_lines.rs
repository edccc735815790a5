//! `command` agents that print JSON lines (`docs/agents.md`): one object a line, told apart by its `type`.
//!
//! A line that is no such object is output like any other: it is kept, and means nothing.

use super::Adapter;
use super::end::{End, Seen, from_event_and_exit};
use super::event::AgentEvent;
use super::meter::{Meter, Scope};
use super::{Line, Resumed, Stream};
use goald_schema::event::{Failure, FailureKind};
use goald_schema::usage::Usage;
use serde::Deserialize;

/// Reads JSON lines.
pub struct JsonLinesAdapter {
    meter: Meter,
    resumes: Option<String>,
}

impl JsonLinesAdapter {
    pub fn new(resumed: Resumed) -> Self {
        Self { meter: Meter::new(resumed.used), resumes: resumed.session }
    }
}

/// One line. Other fields are allowed, so that an agent may say more than goald understands.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Message {
    Session { id: String },
    Text { text: String },
    ToolCall { name: String },
    ToolResult { name: Option<String>, ok: Option<bool> },
    Usage(UsageMessage),
    Retry { after_ms: Option<u64> },
    Warning { message: String },
    End(EndMessage),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsageMessage {
    scope: Scope,
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cached_input_tokens: u64,
    #[serde(default)]
    cache_write_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    cost_micro_usd: Option<u64>,
}

#[derive(Deserialize)]
#[serde(tag = "result", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum EndMessage {
    Completed { text: Option<String> },
    Failed { kind: Option<FailureKind>, message: Option<String>, status: Option<u16>, retry_after_ms: Option<u64> },
}

impl Adapter for JsonLinesAdapter {
    fn line(&mut self, stream: Stream, line: &Line) -> Vec<AgentEvent> {
        match (stream, line) {
            (Stream::Stdout, Line::Whole(text)) => self.message(text).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn finish(self: Box<Self>, seen: &Seen<'_>) -> End {
        from_event_and_exit(seen)
    }
}

impl JsonLinesAdapter {
    fn message(&mut self, text: &str) -> Option<AgentEvent> {
        Some(match serde_json::from_str(text).ok()? {
            Message::Session { id } => {
                if self.resumes.as_ref() != Some(&id) {
                    self.meter.begin_anew();
                }
                AgentEvent::Session { id }
            }
            Message::Text { text } => AgentEvent::Text { text },
            Message::ToolCall { name } => AgentEvent::ToolCall { name },
            Message::ToolResult { name, ok } => AgentEvent::ToolResult { name, ok },
            Message::Usage(usage) => AgentEvent::Usage(self.meter.report(usage.scope, usage.into())),
            Message::Retry { after_ms } => AgentEvent::Retry { after_ms },
            Message::Warning { message } => AgentEvent::Warning { message },
            Message::End(end) => AgentEvent::End(end.into()),
        })
    }
}

impl From<UsageMessage> for Usage {
    fn from(usage: UsageMessage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            cached_input_tokens: usage.cached_input_tokens,
            cache_write_tokens: usage.cache_write_tokens,
            output_tokens: usage.output_tokens,
            cost_micro_usd: usage.cost_micro_usd,
        }
    }
}

impl From<EndMessage> for End {
    fn from(end: EndMessage) -> Self {
        match end {
            EndMessage::Completed { text } => Self::Completed { text },
            EndMessage::Failed { kind, message, status, retry_after_ms } => Self::Failed(Failure {
                // A failure that is not sorted is treated like an end without a word.
                kind: kind.unwrap_or(FailureKind::Crash),
                message: message.unwrap_or_else(|| "the agent says that it failed, not why".to_owned()),
                status,
                retry_after_ms,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Vec<AgentEvent> {
        JsonLinesAdapter::new(Resumed::default()).line(Stream::Stdout, &Line::Whole(text.to_owned()))
    }

    #[test]
    fn each_documented_message_is_understood() {
        let failure = Failure {
            kind: FailureKind::UsageLimit,
            message: "five hours".to_owned(),
            status: Some(429),
            retry_after_ms: Some(60_000),
        };
        for (text, event) in [
            (r#"{"type":"session","id":"s1"}"#, AgentEvent::Session { id: "s1".to_owned() }),
            (r#"{"type":"text","text":"hi","extra":1}"#, AgentEvent::Text { text: "hi".to_owned() }),
            (r#"{"type":"tool_call","name":"sh","input":{"a":1}}"#, AgentEvent::ToolCall { name: "sh".to_owned() }),
            (r#"{"type":"tool_result","ok":false}"#, AgentEvent::ToolResult { name: None, ok: Some(false) }),
            (
                r#"{"type":"usage","scope":"step","inputTokens":3,"costMicroUsd":9}"#,
                AgentEvent::Usage(Usage { input_tokens: 3, cost_micro_usd: Some(9), ..Usage::default() }),
            ),
            (r#"{"type":"retry","afterMs":5}"#, AgentEvent::Retry { after_ms: Some(5) }),
            (r#"{"type":"warning","message":"w"}"#, AgentEvent::Warning { message: "w".to_owned() }),
            (
                r#"{"type":"end","result":"completed","text":"t"}"#,
                AgentEvent::End(End::Completed { text: Some("t".to_owned()) }),
            ),
            (
                r#"{"type":"end","result":"failed","kind":"usage-limit","message":"five hours","status":429,"retryAfterMs":60000}"#,
                AgentEvent::End(End::Failed(failure)),
            ),
        ] {
            assert_eq!(events(text), [event], "{text}");
        }
    }

    #[test]
    fn anything_else_means_nothing() {
        for text in [
            "",
            "goal complete",
            "{",
            "[]",
            "null",
            r#"{"type":"complete"}"#,
            r#"{"result":"completed"}"#,
            r#"{"type":"end"}"#,
            r#"{"type":"end","result":"done"}"#,
            r#"{"type":"end","result":"failed","kind":"made-up"}"#,
            r#"{"type":"usage","scope":"step","inputTokens":-1}"#,
            r#"{"type":"usage","scope":"week"}"#,
            r#""{\"type\":\"end\",\"result\":\"completed\"}""#,
            r#"{"type":"end","result":"completed"} trailing"#,
        ] {
            assert_eq!(events(text), [], "{text}");
        }
    }

    #[test]
    fn a_truncated_line_and_standard_error_mean_nothing() {
        let end = r#"{"type":"end","result":"completed"}"#.to_owned();
        let mut adapter = JsonLinesAdapter::new(Resumed::default());
        assert_eq!(adapter.line(Stream::Stdout, &Line::Truncated(end.clone())), []);
        assert_eq!(adapter.line(Stream::Stderr, &Line::Whole(end)), []);
    }

    #[test]
    fn a_session_total_counts_from_the_previous_one_and_that_of_another_session_from_zero() {
        let total = Line::Whole(r#"{"type":"usage","scope":"session","outputTokens":25}"#.to_owned());
        for (says, counts) in [(None, 15), (Some("s1"), 15), (Some("s2"), 25)] {
            let used = Usage { output_tokens: 10, ..Usage::default() };
            let mut adapter = JsonLinesAdapter::new(Resumed { session: Some("s1".to_owned()), used });
            if let Some(id) = says {
                adapter.line(Stream::Stdout, &Line::Whole(format!(r#"{{"type":"session","id":"{id}"}}"#)));
            }
            let usage = Usage { output_tokens: counts, ..Usage::default() };
            assert_eq!(adapter.line(Stream::Stdout, &total), [AgentEvent::Usage(usage)], "{says:?}");
        }
    }
}
