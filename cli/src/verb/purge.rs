//! `goal purge`.

use crate::app::App;
use crate::args::Purge;
use crate::error::Outcome;
use crate::{print, render};
use goald_schema::Exit;
use goald_schema::protocol::purge::{self, PurgeParams};

/// Deletes what finished goals have left beside the log.
pub fn run(app: &App, args: &Purge) -> Outcome {
    let target = if args.every.all { None } else { Some(app.target()?) };
    let reply = app.connect()?.call::<purge::Purge>(&PurgeParams { target, dry_run: args.dry_run })?;
    if app.common.json {
        print::json(&reply);
        return Ok(Exit::Done);
    }
    print::line(&render::purge::text(&reply));
    for warning in &reply.warnings {
        print::note(&format!("warning: {}", render::escape::line(warning)));
    }
    Ok(Exit::Done)
}
