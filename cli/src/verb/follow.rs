//! `goal follow`, and following for `run`, `create --follow` and `demo`.

use crate::app::{App, status};
use crate::error::{CliError, Outcome};
use crate::{print, render};
use goald_schema::event::{Event, EventRecord};
use goald_schema::id::AttemptId;
use goald_schema::protocol::log::{LOG_EVENT, SubscribeLog, SubscribeLogParams};
use goald_schema::protocol::output::{
    OUTPUT_CHUNK, OUTPUT_END, OutputChunk, OutputEnd, SubscribeOutput, SubscribeOutputParams,
};
use goald_schema::protocol::status::{Activation, SessionState, Status};
use goald_schema::protocol::target::Target;
use goald_schema::protocol::wait::GoalOutcome;
use goald_schema::{ErrorCode, Exit};

/// Watches the goal until it stops.
pub fn run(app: &App) -> Outcome {
    let target = app.target()?;
    let now = status(&mut app.connect()?, &target)?;
    if now.session.is_none() {
        return Err(
            CliError::new(ErrorCode::NoSession, "there is no session here").hint("goal create OBJECTIVE opens one")
        );
    }
    announce(app, &now);
    follow(app, &target, &now)?;
    Ok(Exit::Done)
}

/// Says what is being followed.
pub fn announce(app: &App, status: &Status) {
    if !app.common.json {
        print::line(&render::progress::headline(status));
    }
}

/// Shows what happens from a status on, until nothing runs any more; how the goal stood then.
///
/// # Errors
/// The daemon's, or that it went away.
pub fn follow(app: &App, target: &Target, from: &Status) -> Result<Status, CliError> {
    narrate(app, target, from, |event| render::progress::line(event).map_or_else(String::new, |line| line + "\n"))
}

/// The same, with a narrator of the caller's own, who gives whole lines of words for an event. As JSON events are told as
/// they are.
///
/// # Errors
/// The daemon's, or that it went away.
pub fn narrate(
    app: &App,
    target: &Target,
    from: &Status,
    mut tell: impl FnMut(&EventRecord) -> String,
) -> Result<Status, CliError> {
    let mut connection = app.connect()?;
    let mut asking = app.connect()?;
    connection.call::<SubscribeLog>(&SubscribeLogParams { target: Some(target.clone()), after: from.position })?;
    if !app.common.json {
        connection.call::<SubscribeOutput>(&SubscribeOutputParams {
            target: target.clone(),
            round: None,
            after: Some(from.position),
        })?;
    }
    let mut screen = render::progress::Screen::default();
    let mut seen = from.position;
    let mut last = status(&mut asking, target)?;
    // Attempts whose output has not been told to its end, and those whose end was told before their start.
    let mut ended: Vec<AttemptId> = Vec::new();
    let mut printing: Vec<AttemptId> = last.attempt.iter().map(|attempt| attempt.id).collect();
    loop {
        // Everything up to the status that says so has been told.
        if seen >= last.position && is_over(&last) && (app.common.json || printing.is_empty()) {
            print::text(&screen.end());
            return Ok(last);
        }
        let Some(told) = connection.told()? else {
            return Err(CliError::new(ErrorCode::Unreachable, "the daemon has ended; the goal waits for a resume")
                .hint("goal resume"));
        };
        match told.method.as_str() {
            LOG_EVENT => {
                let event: EventRecord = serde_json::from_value(told.params).map_err(unreadable)?;
                seen = event.position;
                if let Event::AttemptStarted(started) = &event.event
                    && !printing.contains(&started.attempt)
                {
                    printing.push(started.attempt);
                }
                if app.common.json {
                    print::json(&event);
                } else {
                    print::text(&screen.own(&tell(&event)));
                }
                if may_end(&event.event) {
                    last = status(&mut asking, target)?;
                }
            }
            OUTPUT_CHUNK => {
                let chunk: OutputChunk = serde_json::from_value(told.params).map_err(unreadable)?;
                print::text(&screen.output(&chunk.text));
            }
            OUTPUT_END => {
                let end: OutputEnd = serde_json::from_value(told.params).map_err(unreadable)?;
                // Attempts are told in order: what came before this one is over too.
                if let Some(place) = printing.iter().position(|attempt| *attempt == end.attempt) {
                    printing.drain(..=place);
                } else {
                    ended.push(end.attempt);
                }
            }
            _ => {}
        }
        printing.retain(|attempt| !ended.contains(attempt));
    }
}

/// After these nothing may run any more.
fn may_end(event: &Event) -> bool {
    matches!(
        event,
        Event::GoalChange(_)
            | Event::AttemptEnded(_)
            | Event::MessageDelivered(_)
            | Event::VerdictRecorded(_)
            | Event::TurnStopped(_)
            | Event::RoundEnded(_)
    )
}

fn is_over(status: &Status) -> bool {
    let state = status.session.as_ref().map(|session| session.state);
    let quiet = matches!(state, None | Some(SessionState::Stopped | SessionState::Idle));
    status.activation == Activation::Disarmed && quiet
}

/// How a goal stopped, for `run`'s exit code.
pub fn outcome(status: &Status) -> GoalOutcome {
    use goald_schema::goal::PhaseName;
    match status.goal.as_ref().map(|goal| goal.phase) {
        None => GoalOutcome::Cleared,
        Some(PhaseName::Complete) => GoalOutcome::Complete,
        Some(PhaseName::Blocked) => GoalOutcome::Blocked,
        Some(PhaseName::Paused) => GoalOutcome::Paused,
        Some(PhaseName::Active) => GoalOutcome::NeedsResume,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "handed to map_err")]
fn unreadable(error: serde_json::Error) -> CliError {
    CliError::new(ErrorCode::Unreachable, format!("what the daemon says cannot be read: {error}"))
}
