//! What a change verb says when it is done.

use super::escape::short;
use super::style::{STRONG, paint};
use goald_schema::goal::PhaseName;
use goald_schema::protocol::status::{Activation, SessionState};
use goald_schema::protocol::target::Changed;

/// One line, with what follows.
pub fn text(verb: &str, changed: &Changed) -> String {
    let status = &changed.status;
    if !changed.changed {
        return "nothing to do: it is so already".to_owned();
    }
    let Some(goal) = &status.goal else {
        return match verb {
            "queued" => "queued; goal follow shows the turn".to_owned(),
            _ => paint(STRONG, verb),
        };
    };
    let stopping = status.session.as_ref().is_some_and(|session| session.state == SessionState::Stopping);
    let objective = short(&goal.objective, 60);
    let next = match (goal.phase, status.activation) {
        (PhaseName::Active, Activation::Armed) if status.pause_requested => "; it pauses when the round ends",
        (PhaseName::Active, Activation::Armed) => "; goal follow shows it",
        (PhaseName::Active | PhaseName::Paused, Activation::Disarmed) if stopping => {
            "; the agent is being stopped. goal resume goes on"
        }
        (PhaseName::Active | PhaseName::Paused | PhaseName::Blocked, _) => "; goal resume goes on",
        (PhaseName::Complete, _) => "",
    };
    format!("{}: {objective} (revision {}){next}", paint(STRONG, verb), goal.revision)
}
