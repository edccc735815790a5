//! What change verbs have in common: the answer, and doing it in every session.

use crate::app::App;
use crate::client::Connection;
use crate::error::{CliError, Outcome};
use crate::{print, render};
use goald_schema::Exit;
use goald_schema::protocol::list::{List, ListEntry, ListParams};
use goald_schema::protocol::target::{Changed, Target};

/// Shows a change, and ends well.
pub fn show(app: &App, verb: &str, changed: &Changed) -> Exit {
    if app.common.json {
        print::json(changed);
    } else {
        print::line(&render::change::text(verb, changed));
        for warning in &changed.warnings {
            print::note(&format!("warning: {}", render::escape::line(warning)));
        }
    }
    Exit::Done
}

/// Every session of every workspace, or of one.
///
/// # Errors
/// The daemon's.
pub fn sessions(connection: &mut Connection, workspace: Option<String>) -> Result<Vec<ListEntry>, CliError> {
    let mut params = ListParams { workspace, after: None };
    let mut sessions = Vec::new();
    loop {
        let page = connection.call::<List>(&params)?;
        sessions.extend(page.sessions);
        match page.next {
            Some(next) => params.after = Some(next),
            None => {
                if let Some(damage) = &page.store_damage {
                    print::note(&format!("warning: {}", render::escape::block(&damage.message)));
                    print::note("hint: the log takes no more changes; what is shown is what can still be read");
                }
                return Ok(sessions);
            }
        }
    }
}

/// Does something in every session that wants it. One refusal does not keep it from the others; the last one decides how
/// the verb ends.
pub fn in_every(
    app: &App,
    wants: impl Fn(&ListEntry) -> bool,
    mut act: impl FnMut(&mut Connection, Target) -> Outcome,
) -> Outcome {
    let mut connection = app.connect()?;
    let mut last = Ok(Exit::Done);
    for entry in sessions(&mut connection, None)?.iter().filter(|entry| wants(entry)) {
        if let Err(error) = act(&mut connection, Target::Session { session: entry.session.id }) {
            let place = render::escape::line(&entry.session.workspace);
            print::note(&format!("{place} ({}): {}", entry.session.name, error.0.message));
            last = Err(error);
        }
    }
    last
}
