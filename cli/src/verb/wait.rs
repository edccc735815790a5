//! `goal wait`.

use super::change::sessions;
use crate::app::App;
use crate::args::Wait;
use crate::error::{CliError, Outcome};
use crate::{place, print, render};
use goald_schema::protocol::status::Activation;
use goald_schema::protocol::target::Target;
use goald_schema::protocol::wait::{self, GoalOutcome, WaitMode, WaitParams};
use goald_schema::{ErrorCode, Exit};

/// Waits until goals stop.
pub fn run(app: &App, args: &Wait) -> Outcome {
    let mut connection = app.connect()?;
    let targets: Vec<Target> = if args.all {
        let armed = sessions(&mut connection, None)?.into_iter().filter(|entry| entry.activation == Activation::Armed);
        armed.map(|entry| Target::Session { session: entry.session.id }).collect()
    } else if args.names.is_empty() {
        vec![app.target()?]
    } else {
        let place = |name: &String| place::target(app.common.directory.as_ref(), name);
        args.names.iter().map(place).collect::<Result<_, CliError>>()?
    };
    if targets.is_empty() {
        // Nothing is being worked on: there is nothing to wait for.
        return Ok(Exit::Done);
    }
    let timeout_ms = args.timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
    let mode = if args.any { WaitMode::Any } else { WaitMode::All };
    let reply = connection.call::<wait::Wait>(&WaitParams { targets, mode, timeout_ms })?;
    if app.common.json {
        print::json(&reply.stopped);
    } else {
        for stopped in &reply.stopped {
            print::line(&render::status::outcome_line(stopped));
        }
    }
    let worst = reply.stopped.iter().map(|stopped| stopped.outcome).max();
    let worst = worst.ok_or_else(|| CliError::new(ErrorCode::Internal, "the daemon waited for nothing"))?;
    Ok(GoalOutcome::exit(worst))
}
