//! `goal status`, and `goal` alone.

use super::change::sessions;
use crate::app::{App, status};
use crate::error::Outcome;
use crate::{print, render};
use goald_schema::Exit;

/// Shows how the goal stands.
pub fn run(app: &App) -> Outcome {
    let target = app.target()?;
    let mut connection = app.connect()?;
    let status = status(&mut connection, &target)?;
    if app.common.json {
        print::json(&status);
        return Ok(Exit::Done);
    }
    let own = status.session.as_ref().map(|session| session.id);
    let mut others = sessions(&mut connection, None)?;
    others.retain(|entry| Some(entry.session.id) != own);
    print::text(&render::status::text(&status, &others, render::time::now()));
    Ok(Exit::Done)
}
