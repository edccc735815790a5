//! `goal status` for people. Every word comes from the status: state is told from one source only.

use super::escape::{line, short};
use super::style::{BAD, FAINT, GOOD, NEEDS, STRONG, paint};
use super::time::{duration, local};
use goald_schema::Timestamp;
use goald_schema::criterion::Check;
use goald_schema::goal::{Completed, PhaseName, WorkspaceUse};
use goald_schema::protocol::list::ListEntry;
use goald_schema::protocol::status::{Activation, CriterionView, GoalView, SessionState, SessionView, Status};
use goald_schema::protocol::wait::{GoalOutcome, Waited};
use std::fmt::Write;

/// State, objective, criteria, what happens now, what is needed, others, next commands.
pub fn text(status: &Status, others: &[ListEntry], now: Timestamp) -> String {
    let mut out = String::new();
    match (&status.session, &status.goal) {
        (Some(session), Some(goal)) => {
            put(&mut out, &headline(status, session, goal));
            put(&mut out, &format!("  {}", short(&goal.objective, 400)));
            for criterion in &goal.criteria {
                put(&mut out, &criterion_line(criterion));
            }
        }
        (Some(session), None) => {
            put(
                &mut out,
                &format!("{} · no goal · agent {}", paint(STRONG, session.state.as_str()), line(&session.agent)),
            );
        }
        (None, _) => put(&mut out, "no goal here"),
    }
    if let Some(happening) = happening(status, now) {
        put(&mut out, &format!("now: {happening}"));
    }
    if !status.queued.is_empty() {
        put(&mut out, &waiting(status));
    }
    if let Some(summary) = status.goal.as_ref().and_then(|goal| goal.summary.as_ref()) {
        put(&mut out, &format!("the agent's last report: {}", short(summary, 300)));
    }
    if let Some(need) = need(status) {
        put(&mut out, &paint(NEEDS, &format!("needed from you: {need}")));
    }
    for other in others.iter().filter(|other| needs_someone(other)) {
        put(&mut out, &paint(FAINT, &format!("also: {}", super::list::brief(other))));
    }
    put(&mut out, &paint(FAINT, &format!("next: {}", next(status))));
    out
}

fn put(out: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{line}");
}

fn headline(status: &Status, session: &SessionView, goal: &GoalView) -> String {
    let phase = match goal.completed {
        Some(Completed::Verified) => "complete (verified)".to_owned(),
        Some(Completed::Unverified) => "complete (unverified: nothing was checked)".to_owned(),
        Some(Completed::Override) => "complete (override: a person said so)".to_owned(),
        None => goal.phase.as_str().to_owned(),
    };
    let style = match goal.phase {
        PhaseName::Complete => GOOD,
        PhaseName::Blocked => BAD,
        PhaseName::Active | PhaseName::Paused => STRONG,
    };
    let mut parts = vec![paint(style, &phase)];
    if goal.phase != PhaseName::Complete {
        parts.push(session.state.as_str().to_owned());
    }
    parts.push(format!("round {} of {}", goal.rounds_started, goal.max_goal_rounds));
    parts.push(format!("worked {}", duration(goal.worked_ms)));
    if let Some(cost) = goal.usage.cost_micro_usd {
        parts.push(format!("${}.{:02}", cost / 1_000_000, cost % 1_000_000 / 10_000));
    }
    parts.push(format!("agent {}", line(&session.agent)));
    if goal.workspace_use == WorkspaceUse::Shared {
        parts.push("shares the workspace".to_owned());
    }
    if status.pause_requested {
        parts.push("pauses after this round".to_owned());
    }
    parts.join(" · ")
}

fn criterion_line(criterion: &CriterionView) -> String {
    let Check::Command(command) = &criterion.check;
    let (mark, result) = match &criterion.last {
        None => (paint(FAINT, "·"), "not checked yet".to_owned()),
        Some(last) if last.met => (paint(GOOD, "✓"), "met".to_owned()),
        Some(last) => {
            let code = last.exit_code.map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"));
            (paint(BAD, "✗"), format!("unmet, {code}"))
        }
    };
    format!("  {mark} {}: {} ({result})", line(&criterion.id.0), short(&command.run, 100))
}

/// Messages that wait, and in a stopped session what lets them go.
fn waiting(status: &Status) -> String {
    let count = status.queued.len();
    let state = status.session.as_ref().map(|session| session.state);
    let stopped = matches!(state, Some(SessionState::Stopped | SessionState::Idle));
    let hint = if stopped { ": the next goal say delivers them too, in order" } else { "" };
    format!("{count} message(s) wait for the agent{hint}")
}

fn happening(status: &Status, now: Timestamp) -> Option<String> {
    let session = status.session.as_ref()?;
    let since = duration(now.since(session.since));
    Some(match session.state {
        SessionState::Stopping => "what ran is being stopped".to_owned(),
        SessionState::Verifying => format!("checks run (for {since})"),
        SessionState::Running => match &status.attempt {
            Some(attempt) => {
                let what = attempt.round.map_or_else(|| "a message".to_owned(), |round| format!("round {round}"));
                let again = if attempt.n.get() > 1 { format!(", attempt {}", attempt.n) } else { String::new() };
                format!("the agent works on {what}{again} (for {})", duration(now.since(attempt.started_at)))
            }
            None => "the agent is being started".to_owned(),
        },
        SessionState::Asking => "a question waits for you".to_owned(),
        SessionState::BackingOff => match &status.retry {
            Some(retry) => {
                let failure = short(&retry.failure.message, 120);
                format!("attempt {} starts at {} (the last one failed: {failure})", retry.n, local(retry.at))
            }
            None => "waiting before the next attempt".to_owned(),
        },
        SessionState::Holding => "waiting for a hold to close".to_owned(),
        SessionState::Waiting => format!("waiting for the workspace or a free slot (for {since})"),
        SessionState::Stopped => "nothing runs".to_owned(),
        SessionState::Idle => return None,
    })
}

fn need(status: &Status) -> Option<String> {
    let goal = status.goal.as_ref()?;
    match (goal.phase, status.activation, &goal.blocked_reason) {
        (PhaseName::Blocked, _, Some(reason)) => {
            let code = line(reason.code.as_str());
            let act = match reason.code.as_str() {
                "round-limit" => {
                    format!("goal edit --max-rounds {}, then goal resume", goal.max_goal_rounds.saturating_mul(2))
                }
                _ => "mend it, then goal resume; or goal clear".to_owned(),
            };
            Some(format!("{code}: {} → {act}", short(&reason.message, 300)))
        }
        (PhaseName::Active, Activation::Disarmed, _) => Some("it needs a resume → goal resume".to_owned()),
        _ => None,
    }
}

fn next(status: &Status) -> &'static str {
    match (status.goal.as_ref().map(|goal| goal.phase), status.activation) {
        (None, _) => "goal create --agent ./agent.sh --check CMD OBJECTIVE, or goal demo",
        (Some(PhaseName::Active), Activation::Armed) => "goal follow, goal pause, goal say TEXT",
        (Some(PhaseName::Active | PhaseName::Paused), _) => "goal resume, goal edit, goal clear",
        (Some(PhaseName::Blocked), _) => "goal rounds, goal output, goal resume, goal edit",
        (Some(PhaseName::Complete), _) => "goal rounds, goal log, goal create OBJECTIVE",
    }
}

/// Whether a session in a list waits for a person.
pub fn needs_someone(entry: &ListEntry) -> bool {
    let stopped = entry.goal.as_ref().is_some_and(|goal| {
        goal.phase == PhaseName::Blocked
            || (goal.phase == PhaseName::Active && entry.activation == Activation::Disarmed)
    });
    stopped || entry.damaged.is_some()
}

/// The last lines of `goal run`: how it ended, and what to type next.
pub fn ending(status: &Status) -> String {
    let mut out = String::new();
    if let (Some(session), Some(goal)) = (&status.session, &status.goal) {
        put(&mut out, &headline(status, session, goal));
    } else {
        put(&mut out, "cleared");
    }
    if let Some(need) = need(status) {
        put(&mut out, &paint(NEEDS, &format!("needed from you: {need}")));
    }
    put(&mut out, &paint(FAINT, &format!("next: {}", next(status))));
    out
}

/// One line of `goal wait`.
pub fn outcome_line(waited: &Waited) -> String {
    let place = waited
        .status
        .session
        .as_ref()
        .map_or_else(String::new, |session| format!(" · {} ({})", line(&session.workspace), line(&session.name)));
    let outcome = match waited.outcome {
        GoalOutcome::Complete => paint(GOOD, "complete"),
        GoalOutcome::Blocked => paint(BAD, "blocked"),
        GoalOutcome::Paused => paint(NEEDS, "paused"),
        GoalOutcome::Cleared => paint(NEEDS, "cleared"),
        GoalOutcome::NeedsResume => paint(NEEDS, "needs resume"),
    };
    let reason = waited.status.goal.as_ref().and_then(|goal| goal.blocked_reason.as_ref());
    let why = reason.map_or_else(String::new, |reason| format!(" · {}: {}", reason.code, short(&reason.message, 200)));
    format!("{outcome}{place}{why}")
}
