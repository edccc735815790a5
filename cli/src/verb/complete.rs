//! `goal complete`.

use super::change::show;
use crate::app::{App, key, required, status};
use crate::error::Outcome;
use goald_schema::protocol::complete::{self, CompleteParams};

/// Completes the goal on a person's word.
pub fn run(app: &App) -> Outcome {
    let target = app.target()?;
    let mut connection = app.connect()?;
    let reference = required(&status(&mut connection, &target)?)?;
    let params = CompleteParams { target, reference, idempotency_key: Some(key()) };
    Ok(show(app, "completed", &connection.change::<complete::Complete>(&params)?))
}
