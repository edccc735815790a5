//! `goal run`: create, follow, exit with the outcome. SIGINT and SIGTERM pause the goal.

use super::create::set;
use super::follow::{announce, follow, outcome};
use super::pause::stop;
use crate::app::App;
use crate::args::Goal;
use crate::error::{CliError, Outcome};
use crate::{print, render};
use goald_schema::protocol::pause::PauseWhen;
use goald_schema::protocol::target::Target;
use goald_schema::{ErrorCode, Exit};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Sets a goal and sees it through.
pub fn run(app: &App, goal: Goal) -> Outcome {
    let target = app.target()?;
    let mut connection = app.connect()?;
    let changed = set(&mut connection, &target, goal)?;
    pause_on_signals(app, &target)?;
    announce(app, &changed.status);
    let last = follow(app, &target, &changed.status)?;
    if !app.common.json {
        print::text(&render::status::ending(&last));
    }
    Ok(outcome(&last).exit())
}

/// A signal pauses the goal, whatever the rest of the process waits for, and ends the process.
fn pause_on_signals(app: &App, target: &Target) -> Result<(), CliError> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|error| CliError::new(ErrorCode::Internal, format!("signals cannot be watched: {error}")))?;
    let (places, common, target) = (app.places.clone(), app.common.clone(), target.clone());
    std::thread::spawn(move || {
        if signals.forever().next().is_none() {
            return;
        }
        let app = App { common, places };
        let exit = match app.connect().and_then(|mut connection| stop(&mut connection, target, PauseWhen::Now)) {
            Ok(_) => {
                print::note("paused; goal resume goes on");
                Exit::Stopped
            }
            Err(error) => {
                print::note(&format!("the goal could not be paused: {}", error.0.message));
                error.exit()
            }
        };
        std::process::exit(i32::from(exit.code()));
    });
    Ok(())
}
