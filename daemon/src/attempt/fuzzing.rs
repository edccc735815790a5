//! What must hold of everything that an agent prints.

use super::collected::{Collected, FINAL_TEXT, MESSAGE, SESSION_ID, STDERR_TAIL};
use crate::agent::{self, End, Line, LineSplitter, Resumed, Seen, Stop, Stream};
use goald_schema::agent::{Adapter, AgentProfile, OutputFormat};

/// More than what is said of a text that was cut, or before the end of standard error.
const CUT: usize = 64;
/// A bound that short inputs reach too.
const SHORT: usize = 16;

/// The first byte says in which pieces the rest is read. Whatever is printed, and however it is cut, means the same; what
/// is kept of it is bounded; lines are what they are by their definition.
///
/// # Panics
/// If that does not hold.
pub fn agent_lines(input: &[u8]) {
    let Some((cut, printed)) = input.split_first() else { return };
    let size = usize::from(cut & 0x3f) + 1;
    let pieces: Vec<&[u8]> = printed.chunks(size).collect();
    for longest in [SHORT, agent::LONGEST_LINE] {
        let lines = split(&pieces, longest);
        assert_eq!(lines, defined(printed, longest), "in pieces of {size}");
    }
    for format in [OutputFormat::Text, OutputFormat::JsonLines] {
        for stop in [Stop::Code(0), Stop::Code(1), Stop::Signal(9)] {
            assert_eq!(meant(format, stop, &pieces), meant(format, stop, &[printed]), "in pieces of {size}");
        }
    }
}

fn split(pieces: &[&[u8]], longest: usize) -> Vec<Line> {
    let mut splitter = LineSplitter::keeping(longest);
    let mut lines = Vec::new();
    for piece in pieces {
        splitter.push(piece, |line| lines.push(line));
    }
    lines.extend(splitter.finish());
    lines
}

/// The lines of the whole, without any state between pieces.
fn defined(printed: &[u8], longest: usize) -> Vec<Line> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<&[u8]> = printed.split(|byte| *byte == b'\n').collect();
    // What follows the last line's end is a line only if there is something.
    lines.pop_if(|last| last.is_empty());
    let line = |bytes: &[u8]| match bytes.get(..longest) {
        Some(kept) if bytes.len() > longest => Line::Truncated(text(kept)),
        _ => Line::Whole(text(bytes.strip_suffix(b"\r").unwrap_or(bytes))),
    };
    lines.into_iter().map(line).collect()
}

/// All that is learnt, as one text: by pieces on standard output and on standard error.
fn meant(format: OutputFormat, stop: Stop, pieces: &[&[u8]]) -> String {
    let adapter = Adapter::Command { program: "/bin/agent".to_owned(), args: Vec::new(), output: format };
    let profile = AgentProfile { name: "agent".to_owned(), adapter };
    let mut collected = Collected::new(agent::adapter(&profile, Resumed::default()));
    for stream in [Stream::Stdout, Stream::Stderr] {
        for piece in pieces {
            collected.push(stream, piece);
        }
    }
    let (adapter, facts, stderr_tail) = collected.finish();
    assert!(stderr_tail.len() <= STDERR_TAIL);
    assert!(facts.text.as_ref().is_none_or(|text| text.text().len() <= FINAL_TEXT));
    assert!(facts.session.as_ref().is_none_or(|id| id.len() <= SESSION_ID));
    let learnt = format!("{facts:?}");
    let end = adapter.finish(&Seen { stop, terminal: facts.terminal.as_ref(), stderr_tail: &stderr_tail });
    match &end {
        End::Completed { text } => {
            assert_eq!(stop, Stop::Code(0), "nothing is completed because something failed");
            assert!(text.as_ref().is_none_or(|text| text.len() <= FINAL_TEXT));
        }
        End::Failed(failure) => {
            assert!(failure.message.len() <= MESSAGE + CUT, "{} bytes", failure.message.len());
        }
    }
    format!("{learnt} {end:?} {stderr_tail:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &[u8]) {
        for cut in 0..64 {
            agent_lines(&[&[cut], text].concat());
        }
    }

    #[test]
    fn every_cut_means_the_same() {
        printed(b"{\"type\":\"session\",\"id\":\"s1\"}\r\n{\"type\":\"text\",\"text\":\"z\xc3\xbc\"}\n\xff\xc3\n\n\r\n\rno end");
        printed(b"{\"type\":\"usage\",\"scope\":\"step\",\"inputTokens\":18446744073709551615}\n{\"type\":\"usage\",\"scope\":\"step\",\"inputTokens\":1}\n");
        printed(b"{\"type\":\"end\",\"result\":\"failed\"}\n{\"type\":\"end\",\"result\":\"completed\",\"text\":null}");
        printed("€".repeat(700).as_bytes());
    }

    #[test]
    fn long_words_of_the_agent_stay_out_of_the_log() {
        // Written as `\u0001é`: eight bytes in JSON, three in the text.
        let long = "\\u0001é".repeat(100_000);
        for message in [
            format!(r#"{{"type":"end","result":"failed","message":"{long}"}}"#),
            format!(r#"{{"type":"end","result":"completed","text":"{long}"}}"#),
            format!(r#"{{"type":"text","text":"{long}"}}"#),
            format!(r#"{{"type":"session","id":"{long}"}}"#),
        ] {
            assert!(message.len() < agent::LONGEST_LINE, "or it is not read");
            agent_lines(format!("?{message}\n").as_bytes());
        }
    }
}
