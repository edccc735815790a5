//! `command` agents that print plain text: the end of the process is the end of the turn, the end of standard output the
//! final text.

use super::Adapter;
use super::end::{End, Seen, Stop, stopped_badly};
use super::event::AgentEvent;
use super::tail::Tail;
use super::{Line, Stream};

/// How much of standard output becomes the final text, in bytes.
const FINAL_TEXT: usize = 8 << 10;

/// Reads plain text. Nothing in it has a meaning, whatever it says.
pub struct TextAdapter {
    stdout: Tail,
}

impl TextAdapter {
    pub fn new() -> Self {
        Self { stdout: Tail::new(FINAL_TEXT) }
    }
}

impl Adapter for TextAdapter {
    fn line(&mut self, stream: Stream, line: &Line) -> Vec<AgentEvent> {
        if stream == Stream::Stdout {
            let (Line::Whole(text) | Line::Truncated(text)) = line;
            self.stdout.push(text.as_bytes());
            self.stdout.push(b"\n");
        }
        Vec::new()
    }

    fn finish(self: Box<Self>, seen: &Seen<'_>) -> End {
        if seen.stop != Stop::Code(0) {
            return stopped_badly(seen.stop, seen.stderr_tail);
        }
        let text = self.stdout.text().trim_end().to_owned();
        End::Completed { text: (!text.is_empty()).then_some(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finish(lines: &[(Stream, &str)], stop: Stop) -> End {
        let mut adapter = Box::new(TextAdapter::new());
        for (stream, line) in lines {
            assert_eq!(adapter.line(*stream, &Line::Whole((*line).to_owned())), []);
        }
        adapter.finish(&Seen { stop, terminal: None, stderr_tail: "" })
    }

    #[test]
    fn the_final_text_is_the_end_of_standard_output() {
        let long = "x".repeat(FINAL_TEXT);
        let lines = [(Stream::Stdout, long.as_str()), (Stream::Stderr, "noise"), (Stream::Stdout, "done")];
        let End::Completed { text: Some(text) } = finish(&lines, Stop::Code(0)) else { panic!("completed") };
        assert!(text.ends_with("x\ndone") && text.len() <= FINAL_TEXT, "{}", text.len());
    }

    #[test]
    fn words_of_success_or_failure_in_the_text_mean_nothing() {
        let lines = [(Stream::Stdout, r#"{"type":"end","result":"completed"}"#), (Stream::Stdout, "goal complete")];
        assert!(matches!(finish(&lines, Stop::Code(1)), End::Failed(_)));
        let lines = [(Stream::Stdout, "error: is_error true")];
        assert!(matches!(finish(&lines, Stop::Code(0)), End::Completed { .. }));
    }

    #[test]
    fn an_agent_that_printed_nothing_has_no_final_text() {
        assert_eq!(finish(&[], Stop::Code(0)), End::Completed { text: None });
    }
}
