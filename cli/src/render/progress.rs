//! What `follow` and `run` tell as things happen.

use super::escape::{block, short};
use super::log::{event, outcome};
use super::rounds::result_line;
use super::style::{BAD, FAINT, GOOD, NEEDS, STRONG, paint};
use goald_schema::event::{Event, EventRecord, Outcome, Turn, VerdictResult};
use goald_schema::goal::Phase;
use goald_schema::protocol::status::Status;

/// What is being followed.
pub fn headline(status: &Status) -> String {
    let goal = status.goal.as_ref().map_or_else(|| "no goal".to_owned(), |goal| short(&goal.objective, 200));
    format!("{} {goal}", paint(STRONG, "goal"))
}

/// An agent's output set off from goald's own words, in whatever pieces it comes: each of its lines is indented, and none of
/// goald's begins in the middle of one.
#[derive(Debug, Default)]
pub struct Screen {
    at: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Place {
    #[default]
    LineStart,
    InOutput,
}

impl Screen {
    /// A piece of an agent's output.
    pub fn output(&mut self, text: &str) -> String {
        let mut body = String::new();
        for piece in block(text).split_inclusive('\n') {
            if self.at == Place::LineStart {
                body.push_str("  ");
            }
            body.push_str(piece);
            self.at = if piece.ends_with('\n') { Place::LineStart } else { Place::InOutput };
        }
        let (body, end) = body.strip_suffix('\n').map_or((body.as_str(), ""), |body| (body, "\n"));
        paint(FAINT, body) + end
    }

    /// Whole lines of goald's own.
    pub fn own(&mut self, lines: &str) -> String {
        if lines.is_empty() { String::new() } else { self.end() + lines }
    }

    /// Ends the line that an agent has left open.
    pub fn end(&mut self) -> String {
        let open = self.at == Place::InOutput;
        self.at = Place::LineStart;
        if open { "\n".to_owned() } else { String::new() }
    }
}

/// An event worth telling.
pub fn line(record: &EventRecord) -> Option<String> {
    Some(match &record.event {
        Event::AttemptStarted(started) => {
            let what = match &started.turn {
                Turn::Round { round } => format!("round {round}"),
                Turn::Messages { .. } => "your message".to_owned(),
            };
            let again = if started.number.get() > 1 { format!(", attempt {}", started.number) } else { String::new() };
            paint(STRONG, &format!("── {what}{again}"))
        }
        Event::AttemptEnded(ended) => match &ended.outcome {
            Outcome::Completed => return None,
            other => paint(NEEDS, &format!("  attempt {}", outcome(other))),
        },
        Event::VerdictRecorded(verdict) => {
            let style = if verdict.result == VerdictResult::Met { GOOD } else { BAD };
            let results = verdict.results.iter().map(|result| {
                let (mark, style) = if result.met { ("✓", GOOD) } else { ("✗", BAD) };
                format!("  {} {}", paint(style, mark), result_line(result))
            });
            let lines: Vec<String> = results.collect();
            if lines.is_empty() { paint(style, &format!("  {}", event(&record.event))) } else { lines.join("\n") }
        }
        Event::GoalChange(change) => {
            let style = match change.snapshot().map(|set| &set.goal.phase) {
                Some(Phase::Complete(_)) => GOOD,
                Some(Phase::Blocked(_)) => BAD,
                Some(Phase::Active | Phase::Paused) | None => NEEDS,
            };
            paint(style, &format!("── {}", event(&record.event)))
        }
        Event::ClaimMade(_)
        | Event::ClaimRefused(_)
        | Event::AuthorityRefused(_)
        | Event::PauseRequested(_)
        | Event::PauseWithdrawn(_)
        | Event::MessageDelivered(_)
        | Event::TurnStopped(_) => format!("  {}", event(&record.event)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_indented_line_by_line_however_it_is_cut() {
        let text = "one\n\ntwo\nthree";
        for size in 1..=text.len() {
            let mut screen = Screen::default();
            let pieces =
                text.as_bytes().chunks(size).map(|piece| screen.output(std::str::from_utf8(piece).expect("ASCII")));
            let shown = anstream::adapter::strip_str(&pieces.collect::<String>()).to_string();
            assert_eq!(shown, "  one\n  \n  two\n  three", "in pieces of {size}");
        }
    }

    #[test]
    fn goalds_own_lines_begin_at_a_lines_start_and_output_goes_on_indented() {
        let mut screen = Screen::default();
        let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
        assert_eq!(screen.own("── round 1\n"), "── round 1\n");
        assert_eq!(plain(&screen.output("── round 9")), "  ── round 9");
        assert_eq!(screen.own(""), "", "nothing said breaks no line");
        assert_eq!(screen.own("── round 2\n"), "\n── round 2\n");
        assert_eq!(plain(&screen.output("rest\n")), "  rest\n");
        assert_eq!((screen.end().as_str(), plain(&screen.output("x")).as_str()), ("", "  x"));
        assert_eq!((screen.end().as_str(), screen.end().as_str()), ("\n", ""));
    }
}
