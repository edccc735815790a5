//! `output`, `output.subscribe`.

use super::change::existing;
use super::log::page;
use crate::server::Client;
use crate::session::{Outputs, RunningOutput, SessionHandle};
use crate::text::Decoder;
use goald_schema::event::{Event, GoalChange, Turn};
use goald_schema::id::AttemptId;
use goald_schema::number::{Position, Round};
use goald_schema::protocol::log::Subscribed;
use goald_schema::protocol::output::{
    OUTPUT_CHUNK, OUTPUT_END, OutputChunk, OutputEnd, OutputParams, OutputReply, SubscribeOutputParams,
};
use goald_schema::{ErrorCode, WireError};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// At most this many bytes a page or chunk: escaped as JSON they stay within a frame.
const PAGE: usize = 128 * 1024;

/// Reads a page of what an attempt printed.
pub async fn read(client: &Client, params: OutputParams) -> Result<OutputReply, WireError> {
    let session = existing(client, &params.target).await?;
    let attempt = match params.attempt {
        Some(attempt) => attempt,
        None => newest(client, &session, params.round).await?,
    };
    let path = client.service.shared.output_file(attempt);
    let mut bytes = match bytes_at(path, params.offset).await {
        Ok(bytes) => bytes,
        // The log has the attempt: its output is purged, or not yet begun.
        Err(error) if error.code == ErrorCode::NotFound && params.attempt.is_none() => {
            let running = session.look().await?.status.attempt.as_ref().is_some_and(|running| running.id == attempt);
            return Ok(OutputReply { attempt, text: String::new(), purged: !running, next: None });
        }
        Err(error) => return Err(error),
    };
    // A character that is cut at the page's end belongs to the next page.
    let whole = crate::text::whole(&bytes);
    let cut = bytes.len() == PAGE;
    if cut {
        bytes.truncate(whole);
    }
    let next = cut.then(|| params.offset.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX)));
    Ok(OutputReply { attempt, text: String::from_utf8_lossy(&bytes).into_owned(), purged: false, next })
}

/// Streams output until the connection ends.
pub async fn subscribe(client: &Client, params: SubscribeOutputParams) -> Result<Subscribed, WireError> {
    let session = existing(client, &params.target).await?;
    let only = match params.round {
        Some(round) => Some(newest(client, &session, Some(round)).await?),
        None => None,
    };
    let client = client.clone();
    // Looked at before the reply: what runs when the reply is read, is told.
    let mut outputs = session.output();
    let wanted = |output: &RunningOutput| {
        let later = params.after.is_some_and(|after| output.started > after);
        later || !output.state.borrow().done
    };
    let first: Vec<(u64, RunningOutput)> = numbered(&outputs.borrow_and_update());
    let skip = first.iter().position(|(_, output)| wanted(output)).unwrap_or(first.len());
    let after_all = first.last().map_or(0, |(number, _)| number.saturating_add(1));
    let first = first.get(skip).map_or(after_all, |(number, _)| *number);
    tokio::spawn(async move {
        tokio::select! {
            () = stream(&client, outputs, first, only) => {}
            () = client.gone() => {}
        }
    });
    Ok(Subscribed {})
}

/// The outputs with their numbers, counted from the daemon's first.
fn numbered(outputs: &Outputs) -> Vec<(u64, RunningOutput)> {
    (outputs.dropped..).zip(outputs.newest.iter().cloned()).collect()
}

/// One attempt to its end; or every attempt from number `next` on, one after another.
async fn stream(client: &Client, mut outputs: watch::Receiver<Outputs>, mut next: u64, only: Option<AttemptId>) {
    if let Some(only) = only {
        let known = outputs.borrow().newest.iter().find(|output| output.attempt == only).cloned();
        match known {
            // One that is over is what its file is: it may be purged.
            Some(output) if !output.state.borrow().done => drop(stream_one(client, output).await),
            Some(_) | None => stream_file(client, only).await,
        }
        return;
    }
    loop {
        let seen = numbered(&outputs.borrow_and_update());
        for (number, output) in seen.into_iter().filter(|(number, _)| *number >= next).collect::<Vec<_>>() {
            if !stream_one(client, output).await {
                return;
            }
            next = number.saturating_add(1);
        }
        // Marked as seen above: one that came meanwhile wakes this at once.
        if outputs.changed().await.is_err() {
            return;
        }
    }
}

async fn stream_one(client: &Client, mut running: RunningOutput) -> bool {
    let mut offset = 0_u64;
    let mut decoder = Decoder::default();
    loop {
        let state = *running.state.borrow_and_update();
        while offset < state.len {
            let Ok(bytes) = bytes_at(running.path.clone(), offset).await else { break };
            if bytes.is_empty() {
                break;
            }
            offset = offset.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            if !chunk(client, running.attempt, decoder.push(&bytes)).await {
                return false;
            }
        }
        if state.done || running.state.changed().await.is_err() {
            break;
        }
    }
    chunk(client, running.attempt, decoder.finish()).await && end(client, running.attempt).await
}

async fn stream_file(client: &Client, attempt: AttemptId) {
    let path = client.service.shared.output_file(attempt);
    let mut offset = 0_u64;
    let mut decoder = Decoder::default();
    if bytes_at(path.clone(), 0).await.is_err_and(|error| error.code == ErrorCode::NotFound) {
        chunk(client, attempt, "[purged]\n".to_owned()).await;
    }
    while let Ok(bytes) = bytes_at(path.clone(), offset).await {
        if bytes.is_empty() {
            break;
        }
        offset = offset.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        if !chunk(client, attempt, decoder.push(&bytes)).await {
            return;
        }
    }
    chunk(client, attempt, decoder.finish()).await;
    end(client, attempt).await;
}

async fn chunk(client: &Client, attempt: AttemptId, text: String) -> bool {
    if text.is_empty() {
        return true;
    }
    let params = serde_json::to_value(OutputChunk { attempt, text }).unwrap_or_default();
    client.notify(OUTPUT_CHUNK, params).await
}

async fn end(client: &Client, attempt: AttemptId) -> bool {
    client.notify(OUTPUT_END, serde_json::to_value(OutputEnd { attempt }).unwrap_or_default()).await
}

async fn bytes_at(path: PathBuf, offset: u64) -> Result<Vec<u8>, WireError> {
    let read = tokio::task::spawn_blocking(move || read_at(&path, offset)).await;
    let read = read.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?;
    read.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => WireError::new(ErrorCode::NotFound, "the output is no longer there"),
        _ => WireError::new(ErrorCode::StoreFailed, format!("the output cannot be read: {error}")),
    })
}

fn read_at(path: &Path, offset: u64) -> std::io::Result<Vec<u8>> {
    let mut file = std::fs::File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(u64::try_from(PAGE).unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The newest attempt of a round of the current goal, or of the session.
async fn newest(client: &Client, session: &SessionHandle, round: Option<Round>) -> Result<AttemptId, WireError> {
    let mut after = Position(0);
    let mut found = None;
    loop {
        let events = page(client, after, Some(session.id)).await?;
        let Some(last) = events.last().map(|event| event.position) else { break };
        after = last;
        for record in events {
            match record.event {
                // Rounds are numbered anew with each goal.
                Event::GoalChange(GoalChange::Create(_)) if round.is_some() => found = None,
                Event::AttemptStarted(started) => {
                    let of = match started.turn {
                        Turn::Round { round } => Some(round),
                        Turn::Messages { .. } => None,
                    };
                    if round.is_none() || of == round {
                        found = Some(started.attempt);
                    }
                }
                _ => {}
            }
        }
    }
    found.ok_or_else(|| {
        let what = round.map_or_else(|| "no attempt".to_owned(), |round| format!("no attempt of round {round}"));
        WireError::new(ErrorCode::NotFound, format!("{what} has been started")).hint("goal rounds shows what there is")
    })
}
