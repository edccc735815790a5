//! `goal list`.

use super::change::sessions;
use crate::app::App;
use crate::error::Outcome;
use crate::{place, print, render};
use goald_schema::Exit;

/// Lists sessions.
pub fn run(app: &App) -> Outcome {
    let workspace = app.common.directory.as_deref().map(place::workspace).transpose()?;
    let entries = sessions(&mut app.connect()?, workspace)?;
    if app.common.json {
        print::json(&entries);
    } else {
        print::text(&render::list::text(&entries, render::time::now()));
    }
    Ok(Exit::Done)
}
