//! `goal list` for people.

use super::escape::{line, short};
use super::time::duration;
use comfy_table::{ContentArrangement, Table, presets};
use goald_schema::Timestamp;
use goald_schema::goal::{Completed, PhaseName};
use goald_schema::protocol::list::ListEntry;
use goald_schema::protocol::status::{Activation, SessionState};

/// A table, or a word that there is nothing.
pub fn text(entries: &[ListEntry], now: Timestamp) -> String {
    if entries.is_empty() {
        return "no sessions; goal create OBJECTIVE opens one\n".to_owned();
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["WORKSPACE", "SESSION", "STATE", "ROUND", "SINCE", "GOAL"]);
    for entry in entries {
        let (round, goal) = match &entry.goal {
            Some(goal) => (format!("{}/{}", goal.rounds_started, goal.max_goal_rounds), short(&goal.objective, 60)),
            None => (String::new(), String::new()),
        };
        table.add_row([
            line(&entry.session.workspace),
            line(&entry.session.name),
            state(entry),
            round,
            duration(now.since(entry.session.since)),
            goal,
        ]);
    }
    format!("{table}\n")
}

/// One session in a sentence.
pub fn brief(entry: &ListEntry) -> String {
    let goal = entry.goal.as_ref().map_or_else(String::new, |goal| format!(": {}", short(&goal.objective, 60)));
    let named = if entry.session.name == crate::place::DEFAULT_NAME {
        String::new()
    } else {
        format!(" -s {}", line(&entry.session.name))
    };
    format!("{}{goal} → goal -C {}{named}", state(entry), line(&entry.session.workspace))
}

/// What a person reads first: what it does if it does something, else where its goal stands.
fn state(entry: &ListEntry) -> String {
    if entry.damaged.is_some() {
        return "damaged".to_owned();
    }
    match (&entry.goal, entry.session.state) {
        (Some(goal), SessionState::Stopped | SessionState::Idle) => {
            match (goal.phase, goal.completed, entry.activation) {
                (PhaseName::Active, _, Activation::Disarmed) => "needs resume".to_owned(),
                (PhaseName::Complete, Some(Completed::Unverified), _) => "complete (unverified)".to_owned(),
                (PhaseName::Complete, Some(Completed::Override), _) => "complete (override)".to_owned(),
                (phase, ..) => match &goal.blocked_reason {
                    Some(reason) => format!("{}: {}", phase.as_str(), reason.code),
                    None => phase.as_str().to_owned(),
                },
            }
        }
        (_, state) => state.as_str().to_owned(),
    }
}
