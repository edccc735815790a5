//! `goal block`.

use super::change::show;
use crate::app::{App, key, required, status};
use crate::args::Block;
use crate::error::Outcome;
use goald_schema::protocol::block::{self, BlockParams};

/// Blocks the goal on a person's word.
pub fn run(app: &App, args: Block) -> Outcome {
    let target = app.target()?;
    let mut connection = app.connect()?;
    let reference = required(&status(&mut connection, &target)?)?;
    let Block { reason: message, code } = args;
    let params = BlockParams { target, reference, code, message, idempotency_key: Some(key()) };
    Ok(show(app, "blocked", &connection.change::<block::Block>(&params)?))
}
