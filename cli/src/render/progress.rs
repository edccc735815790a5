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

/// An agent's output, set off from goald's own words.
pub fn output(text: &str) -> String {
    let escaped = block(text);
    let (body, end) = escaped.strip_suffix('\n').map_or((escaped.as_str(), ""), |body| (body, "\n"));
    paint(FAINT, &format!("  {}", body.replace('\n', "\n  "))) + end
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
