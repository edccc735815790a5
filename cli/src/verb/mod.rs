//! One file a verb.

mod agent;
mod block;
mod change;
mod clear;
mod complete;
mod completions;
mod create;
mod daemon;
pub mod doctor;
mod edit;
mod follow;
mod list;
mod log;
mod output;
mod pause;
mod purge;
mod resume;
mod rounds;
mod run;
mod say;
mod schema;
mod status;
mod wait;

use crate::app::App;
use crate::args::Verb;
use crate::error::{CliError, Outcome};
use goald_schema::ErrorCode;

pub use follow::{narrate, outcome};

/// Carries a verb out. `daemon run` and `doctor` are not among them: they are no clients alone.
pub fn run(app: &App, verb: Verb) -> Outcome {
    match verb {
        Verb::Status => status::run(app),
        Verb::Create(args) => create::run(app, args),
        Verb::Run(args) => run::run(app, args),
        Verb::Edit(args) => edit::run(app, args),
        Verb::Pause(args) => pause::run(app, &args),
        Verb::Resume(args) => resume::run(app, &args),
        Verb::Clear => clear::run(app),
        Verb::Complete => complete::run(app),
        Verb::Block(args) => block::run(app, args),
        Verb::Say(args) => say::run(app, args),
        Verb::Purge(args) => purge::run(app, &args),
        Verb::List => list::run(app),
        Verb::Log(args) => log::run(app, &args),
        Verb::Rounds(args) => rounds::run(app, &args),
        Verb::Output(args) => output::run(app, &args),
        Verb::Follow => follow::run(app),
        Verb::Wait(args) => wait::run(app, &args),
        Verb::Agent(args) => agent::run(app, args),
        Verb::Mcp => crate::mcp::serve(app),
        Verb::Demo(args) => crate::demo::run(app, &args),
        Verb::Completions(args) => completions::run(app, &args),
        Verb::Schema(args) => schema::run(app, &args),
        // `main` has taken it: it reads the daemon's files.
        Verb::Doctor(_) => Err(CliError::new(ErrorCode::Internal, "the doctor is not a client")),
        Verb::Daemon(args) => daemon::run(app, &args),
    }
}
