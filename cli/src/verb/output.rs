//! `goal output`.

use crate::app::App;
use crate::args::Output;
use crate::error::{CliError, Outcome};
use crate::{print, render};
use goald_schema::number::Round;
use goald_schema::protocol::output::{
    OUTPUT_CHUNK, OUTPUT_END, OutputChunk, OutputParams, ReadOutput, SubscribeOutput, SubscribeOutputParams,
};
use goald_schema::{ErrorCode, Exit};

/// Shows what the agent printed.
pub fn run(app: &App, args: &Output) -> Outcome {
    let target = app.target()?;
    let round = args.round.map(Round);
    let mut connection = app.connect()?;
    if args.follow {
        connection.call::<SubscribeOutput>(&SubscribeOutputParams { target, round, after: None })?;
        while let Some(told) = connection.told()? {
            match told.method.as_str() {
                OUTPUT_CHUNK => {
                    let chunk: OutputChunk = serde_json::from_value(told.params)
                        .map_err(|error| CliError::new(ErrorCode::Unreachable, error.to_string()))?;
                    if app.common.json {
                        print::json(&chunk);
                    } else {
                        print::text(&render::escape::block(&chunk.text));
                    }
                }
                OUTPUT_END if round.is_some() => return Ok(Exit::Done),
                _ => {}
            }
        }
        return Err(CliError::new(ErrorCode::Unreachable, "the daemon has ended").hint("goal daemon start"));
    }
    let mut params = OutputParams { target, round, attempt: None, offset: 0 };
    loop {
        let page = connection.call::<ReadOutput>(&params)?;
        if app.common.json {
            print::json(&page);
        } else if page.purged {
            print::line("[purged]");
        } else {
            print::text(&render::escape::block(&page.text));
        }
        match page.next {
            Some(next) => (params.attempt, params.offset) = (Some(page.attempt), next),
            None => return Ok(Exit::Done),
        }
    }
}
