//! `goal run`: create, follow, exit with the outcome. SIGINT and SIGTERM pause the goal.

use super::change::warn;
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
use std::sync::{Arc, Mutex, PoisonError};

/// Sets a goal and sees it through.
pub fn run(app: &App, goal: Goal) -> Outcome {
    let target = app.target()?;
    let mut connection = app.connect()?;
    // Watched for before the goal is there, and acted on after: no moment is left in which a signal ends this process and
    // the goal goes on.
    let creating = Arc::new(Mutex::new(()));
    let changed = {
        let _held = creating.lock().unwrap_or_else(PoisonError::into_inner);
        pause_on_signals(app, &target, Arc::clone(&creating))?;
        set(&mut connection, &target, goal)?
    };
    warn(&changed);
    announce(app, &changed.status);
    let last = follow(app, &target, &changed.status)?;
    if !app.common.json {
        print::text(&render::status::ending(&last));
    }
    Ok(outcome(&last).exit())
}

/// A signal pauses the goal, once it is created, whatever the rest of the process waits for, and ends the process.
fn pause_on_signals(app: &App, target: &Target, creating: Arc<Mutex<()>>) -> Result<(), CliError> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|error| CliError::new(ErrorCode::Internal, format!("signals cannot be watched: {error}")))?;
    let (places, common, target) = (app.places.clone(), app.common.clone(), target.clone());
    std::thread::spawn(move || {
        if signals.forever().next().is_none() {
            return;
        }
        let _created = creating.lock().unwrap_or_else(PoisonError::into_inner);
        let app = App { common, places };
        let exit = match app.connect().and_then(|mut connection| stop(&mut connection, &target, PauseWhen::Now)) {
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
