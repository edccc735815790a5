//! `goal rounds` for people.

use super::escape::{block, line, short};
use super::log::{outcome, refusal, word};
use super::style::{FAINT, STRONG, paint};
use super::time::{duration, local};
use comfy_table::{ContentArrangement, Table, presets};
use goald_schema::criterion::{CheckTrouble, CriterionResult};
use goald_schema::event::{Claim, VerdictResult};
use goald_schema::protocol::rounds::{CheckOutput, RoundView};
use std::fmt::Write;

/// How many lines of what a check printed are shown.
const SHOWN: usize = 20;

/// All rounds, one a row.
pub fn table(rounds: &[RoundView]) -> String {
    if rounds.is_empty() {
        return "no round has been started\n".to_owned();
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["ROUND", "STARTED", "ATTEMPTS", "WORKED", "ENDED", "REPORT", "CHECKED"]);
    for round in rounds {
        let worked: u64 = round.attempts.iter().filter_map(|attempt| attempt.worked_ms).sum();
        let ended = match (&round.ended, round.attempts.last().and_then(|attempt| attempt.outcome.as_ref())) {
            (Some(_), Some(last)) => short(&outcome(last), 60),
            (Some(how), None) => word(how),
            (None, _) => "open".to_owned(),
        };
        let report = match (&round.claim, round.refused.last()) {
            (Some(claim), _) => claim.name().to_owned(),
            (None, Some(why)) => format!("refused: {}", refusal(*why)),
            (None, None) => String::new(),
        };
        let checked = round.verdict.as_ref().map_or_else(String::new, |verdict| {
            let met = verdict.results.iter().filter(|result| result.met).count();
            match verdict.result {
                VerdictResult::Met | VerdictResult::Unmet => {
                    format!("{} ({met} of {})", word(&verdict.result), verdict.results.len())
                }
                other => word(&other),
            }
        });
        table.add_row([
            round.round.to_string(),
            local(round.admitted_at),
            round.attempts.len().to_string(),
            duration(worked),
            ended,
            report,
            checked,
        ]);
    }
    format!("{table}\n")
}

/// One round in detail.
pub fn one(round: &RoundView) -> String {
    let mut out = String::new();
    let mut put = |text: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{text}");
    };
    put(format!("{} admitted {}", paint(STRONG, &format!("round {}", round.round)), local(round.admitted_at)));
    for attempt in &round.attempts {
        let how = attempt.outcome.as_ref().map_or_else(|| "runs".to_owned(), outcome);
        let worked = attempt.worked_ms.map_or_else(String::new, |ms| format!(" after {}", duration(ms)));
        put(format!("  attempt {} started {}: {how}{worked}", attempt.number, local(attempt.started_at)));
    }
    for why in &round.refused {
        put(format!("  a report was refused: {}", refusal(*why)));
    }
    match &round.claim {
        Some(Claim::Complete { summary, artifacts, unverified }) => {
            put(format!("  the agent reports complete: {}", block(summary)));
            for artifact in artifacts {
                put(format!("    artifact: {}", line(artifact)));
            }
            for what in unverified {
                put(format!("    not checked by the agent: {}", line(what)));
            }
        }
        Some(Claim::Blocked { reason }) => put(format!("  the agent reports blocked: {}", block(reason))),
        None => {}
    }
    if let Some(verdict) = &round.verdict {
        put(format!("  checked: {}", word(&verdict.result)));
        for result in &verdict.results {
            put(format!("    {} {}", if result.met { "✓" } else { "✗" }, result_line(result)));
            if let Some(output) = round.outputs.iter().find(|output| output.criterion == result.criterion) {
                put(printed(output));
            }
        }
    }
    if let Some(how) = &round.ended {
        put(format!("  ended: {}", word(how)));
    }
    out
}

/// The end of what a check printed, set off from what goald says itself.
fn printed(output: &CheckOutput) -> String {
    let Some(text) = &output.text else {
        return format!("      {}", paint(FAINT, "what it printed cannot be shown"));
    };
    let text = block(text.trim_end());
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines.get(lines.len().saturating_sub(SHOWN)..).unwrap_or_default();
    let before = match lines.len() - shown.len() {
        0 => None,
        count => Some(format!("      {}", paint(FAINT, &format!("{count} more line(s) before: --json shows them")))),
    };
    before.into_iter().chain(shown.iter().map(|line| format!("      │ {line}"))).collect::<Vec<_>>().join("\n")
}

/// A criterion's result in words.
pub fn result_line(result: &CriterionResult) -> String {
    let how = match (&result.trouble, result.exit_code) {
        (Some(CheckTrouble::CannotRun { message }), _) => format!("could not be run: {}", line(message)),
        (Some(CheckTrouble::Killed { signal }), _) => format!("killed by signal {signal}"),
        (Some(CheckTrouble::TimedOut { after_ms }), _) => format!("timed out after {}", duration(*after_ms)),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "no exit code".to_owned(),
    };
    format!("{}: {how} in {}", line(&result.criterion.0), duration(result.duration_ms))
}
