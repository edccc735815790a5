//! `goal resume`.

use super::change::{in_every, show};
use crate::app::{App, caller, key, required, status};
use crate::args::Every;
use crate::client::Connection;
use crate::error::{CliError, Outcome};
use goald_schema::goal::PhaseName;
use goald_schema::protocol::resume::{self, ResumeParams};
use goald_schema::protocol::status::Activation;
use goald_schema::protocol::target::{Changed, Target};

/// Lets the goal go on, or every one that needs it.
pub fn run(app: &App, args: &Every) -> Outcome {
    if args.all {
        let unfinished = |entry: &goald_schema::protocol::list::ListEntry| {
            entry.activation == Activation::Disarmed
                && entry.goal.as_ref().is_some_and(|goal| goal.phase != PhaseName::Complete)
        };
        return in_every(app, unfinished, |connection, target| Ok(show(app, "resumed", &go_on(connection, target)?)));
    }
    let target = app.target()?;
    let mut connection = app.connect()?;
    Ok(show(app, "resumed", &go_on(&mut connection, target)?))
}

fn go_on(connection: &mut Connection, target: Target) -> Result<Changed, CliError> {
    let reference = required(&status(connection, &target)?)?;
    connection.change::<resume::Resume>(&ResumeParams {
        target,
        reference,
        caller: Some(caller()),
        idempotency_key: Some(key()),
    })
}
