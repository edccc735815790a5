//! `goal create`.

use super::change::show;
use super::follow;
use crate::app::{App, caller, key, read_file, reference, status};
use crate::args::{Create, Goal, Objective};
use crate::client::Connection;
use crate::error::{CliError, Outcome};
use goald_schema::goal::WorkspaceUse;
use goald_schema::protocol::create::{self, CreateParams, ObjectiveText};
use goald_schema::protocol::target::{Changed, Target};

/// Sets a goal.
pub fn run(app: &App, args: Create) -> Outcome {
    let target = app.target()?;
    let mut connection = app.connect()?;
    let changed = set(&mut connection, &target, args.goal)?;
    if args.follow {
        follow::announce(app, &changed.status);
        return follow::follow(app, &target, &changed.status).map(|_| goald_schema::Exit::Done);
    }
    Ok(show(app, "created", &changed))
}

/// Sets a goal.
///
/// # Errors
/// The daemon's refusal.
pub fn set(connection: &mut Connection, target: &Target, goal: Goal) -> Result<Changed, CliError> {
    let objective = text(goal.objective)?;
    let replaces = if goal.replace { reference(&status(connection, target)?) } else { None };
    let params = CreateParams {
        target: target.clone(),
        objective,
        agent: goal.agent,
        max_rounds: goal.max_rounds,
        checks: goal.checks,
        workspace_use: if goal.share_workspace { WorkspaceUse::Shared } else { WorkspaceUse::Alone },
        replaces,
        caller: Some(caller()),
        idempotency_key: Some(key()),
    };
    connection.change::<create::Create>(&params)
}

/// The objective, from words or from a file.
///
/// # Errors
/// The file's.
pub fn text(objective: Objective) -> Result<ObjectiveText, CliError> {
    match objective.file {
        Some(path) => Ok(ObjectiveText::File { text: read_file(&path)? }),
        None => Ok(ObjectiveText::Inline { text: objective.words.join(" ") }),
    }
}
