//! `goal pause`.

use super::change::{in_every, show};
use crate::app::{App, key, reference, status};
use crate::args::Pause;
use crate::client::Connection;
use crate::error::{CliError, Outcome};
use goald_schema::ErrorCode;
use goald_schema::goal::PhaseName;
use goald_schema::protocol::pause::{self, PauseParams, PauseWhen};
use goald_schema::protocol::target::{Changed, Target};

/// Stops the goal, or every active one.
pub fn run(app: &App, args: &Pause) -> Outcome {
    let when = if args.after_round { PauseWhen::AfterRound } else { PauseWhen::Now };
    if args.every.all {
        let active = |entry: &goald_schema::protocol::list::ListEntry| {
            entry.goal.as_ref().is_some_and(|goal| goal.phase == PhaseName::Active)
        };
        return in_every(app, active, |connection, target| Ok(show(app, "paused", &stop(connection, &target, when)?)));
    }
    let target = app.target()?;
    let mut connection = app.connect()?;
    Ok(show(app, "paused", &stop(&mut connection, &target, when)?))
}

/// How often a pause is tried against a goal that keeps changing under it.
const TRIES: u32 = 10;

/// Stops a goal. Stopping is meant whatever else changed meanwhile: a stale ref is read anew and tried again.
///
/// # Errors
/// The daemon's refusal.
pub fn stop(connection: &mut Connection, target: &Target, when: PauseWhen) -> Result<Changed, CliError> {
    let mut tries = 1;
    loop {
        let reference = reference(&status(connection, target)?);
        let params = PauseParams { target: target.clone(), reference, when, idempotency_key: Some(key()) };
        match connection.change::<pause::Pause>(&params) {
            Err(error) if error.0.code == ErrorCode::StaleRevision && tries < TRIES => tries += 1,
            answer => return answer,
        }
    }
}
