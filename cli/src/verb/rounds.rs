//! `goal rounds`.

use crate::app::App;
use crate::args::Rounds;
use crate::error::{CliError, Outcome};
use crate::{print, render};
use goald_schema::number::Round;
use goald_schema::protocol::rounds::{self, RoundView, RoundsParams};
use goald_schema::{ErrorCode, Exit};

/// Shows the rounds of the goal, or one.
pub fn run(app: &App, args: &Rounds) -> Outcome {
    let mut params = RoundsParams { target: app.target()?, after: Round(0), only: args.round.map(Round) };
    let mut connection = app.connect()?;
    let mut views: Vec<RoundView> = Vec::new();
    loop {
        let page = connection.call::<rounds::Rounds>(&params)?;
        views.extend(page.rounds);
        match page.next {
            Some(next) => params.after = next,
            None => break,
        }
    }
    let Some(wanted) = args.round else {
        if app.common.json {
            print::json(&views);
        } else {
            print::text(&render::rounds::table(&views));
        }
        return Ok(Exit::Done);
    };
    let view = views.iter().find(|view| view.round.get() == wanted).ok_or_else(|| {
        CliError::new(ErrorCode::NotFound, format!("there is no round {wanted}"))
            .hint("goal rounds shows those there are")
    })?;
    if app.common.json {
        print::json(view);
    } else {
        print::text(&render::rounds::one(view));
    }
    Ok(Exit::Done)
}
