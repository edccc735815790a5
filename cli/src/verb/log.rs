//! `goal log`.

use crate::app::App;
use crate::args::Log;
use crate::client::Connection;
use crate::error::{CliError, Outcome};
use crate::{print, render};
use goald_schema::event::EventRecord;
use goald_schema::number::Position;
use goald_schema::protocol::log::{LOG_END, LogParams, ReadLog, SubscribeLog, SubscribeLogParams};
use goald_schema::protocol::target::Target;
use goald_schema::{ErrorCode, Exit, Timestamp, WireError};

/// Shows what happened.
pub fn run(app: &App, args: &Log) -> Outcome {
    let (after, from) = since(args.since.as_deref(), render::time::now())?;
    let target = if args.all { None } else { Some(app.target()?) };
    let mut connection = app.connect()?;
    let show = |event: &EventRecord| {
        if from.is_none_or(|from| event.at >= from) {
            if app.common.json {
                print::json(event);
            } else {
                print::line(&render::log::line(event));
            }
        }
    };
    if args.follow {
        connection.call::<SubscribeLog>(&SubscribeLogParams { target, after })?;
        while let Some(told) = connection.told()? {
            if told.method == LOG_END {
                let error: WireError = serde_json::from_value(told.params).map_err(unreadable)?;
                return Err(error.into());
            }
            show(&serde_json::from_value(told.params).map_err(unreadable)?);
        }
        return Err(CliError::new(ErrorCode::Unreachable, "the daemon has ended").hint("goal daemon start"));
    }
    pages(&mut connection, target, after, show)?;
    Ok(Exit::Done)
}

/// Reads every event after a position, page by page.
///
/// # Errors
/// The daemon's.
pub fn pages(
    connection: &mut Connection,
    target: Option<Target>,
    after: Position,
    mut each: impl FnMut(&EventRecord),
) -> Result<(), CliError> {
    let mut params = LogParams { target, after };
    loop {
        let page = connection.call::<ReadLog>(&params)?;
        page.events.iter().for_each(&mut each);
        match page.next {
            Some(next) => params.after = next,
            None => return Ok(()),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "handed to map_err")]
fn unreadable(error: serde_json::Error) -> CliError {
    CliError::new(ErrorCode::Unreachable, format!("what the daemon says cannot be read: {error}"))
}

/// A position to read after, or a time to show from.
fn since(text: Option<&str>, now: Timestamp) -> Result<(Position, Option<Timestamp>), CliError> {
    let Some(text) = text else { return Ok((Position(0), None)) };
    if let Ok(position) = text.parse() {
        return Ok((Position(position), None));
    }
    if let Ok(time) = text.parse() {
        return Ok((Position(0), Some(time)));
    }
    let ago = humantime::parse_duration(text).map_err(|_| {
        CliError::new(ErrorCode::InvalidValue, format!("--since {text:?} is no position, time or duration"))
            .hint("such as 1200, 2026-12-01T08:00:00Z, 10m or 2h")
    })?;
    let millis = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
    let from = Timestamp::from_millis(now.millis().saturating_sub(millis)).unwrap_or(Timestamp::EPOCH);
    Ok((Position(0), Some(from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_takes_a_position_a_time_or_how_long_ago() {
        let now: Timestamp = "2026-12-01T08:00:00Z".parse().expect("a time");
        assert_eq!(since(None, now).expect("fine"), (Position(0), None));
        assert_eq!(since(Some("12"), now).expect("fine"), (Position(12), None));
        let time = "2026-12-01T07:50:00Z".parse().ok();
        assert_eq!(since(Some("2026-12-01T07:50:00Z"), now).expect("fine"), (Position(0), time));
        assert_eq!(since(Some("10m"), now).expect("fine"), (Position(0), time));
        assert_eq!(since(Some("yesterday"), now).expect_err("refused").exit().code(), 2);
    }
}
