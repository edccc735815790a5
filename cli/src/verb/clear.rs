//! `goal clear`.

use super::change::show;
use crate::app::{App, key, reference, status};
use crate::error::Outcome;
use goald_schema::protocol::clear::{self, ClearParams};

/// Takes the goal away.
pub fn run(app: &App) -> Outcome {
    let target = app.target()?;
    let mut connection = app.connect()?;
    let reference = reference(&status(&mut connection, &target)?);
    let params = ClearParams { target, reference, idempotency_key: Some(key()) };
    Ok(show(app, "cleared", &connection.change::<clear::Clear>(&params)?))
}
