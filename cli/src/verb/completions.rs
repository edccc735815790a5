//! `goal completions SHELL`: made from the command line's own definition; asks no daemon.

use crate::app::App;
use crate::args::{Cli, Completions};
use crate::error::{CliError, Outcome};
use crate::print;
use clap::CommandFactory;
use goald_schema::{ErrorCode, Exit};

/// Prints the script; with `--json` as one string.
pub fn run(app: &App, args: &Completions) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "goal", &mut script);
    let script = String::from_utf8(script)
        .map_err(|error| CliError::new(ErrorCode::Internal, format!("the script is not UTF-8: {error}")))?;
    if app.common.json {
        print::json(&script);
    } else {
        print::text(&script);
    }
    Ok(Exit::Done)
}
