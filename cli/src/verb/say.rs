//! `goal say`.

use super::change::show;
use crate::app::{App, caller, key, read_file};
use crate::args::Say;
use crate::error::Outcome;
use goald_schema::protocol::say::{self, SayParams};

/// Sends the agent a message.
pub fn run(app: &App, args: Say) -> Outcome {
    let text = match args.message.file {
        Some(path) => read_file(&path)?,
        None => args.message.words.join(" "),
    };
    let params = SayParams {
        target: app.target()?,
        text,
        now: args.now,
        agent: args.agent,
        caller: caller(),
        idempotency_key: Some(key()),
    };
    let mut connection = app.connect()?;
    Ok(show(app, "queued", &connection.change::<say::Say>(&params)?))
}
