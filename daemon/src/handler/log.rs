//! `log`, `log.subscribe`.

use super::change::existing;
use crate::server::Client;
use crate::store::StoreError;
use goald_schema::event::EventRecord;
use goald_schema::id::SessionId;
use goald_schema::number::Position;
use goald_schema::protocol::log::{LOG_END, LOG_EVENT, LogParams, LogReply, SubscribeLogParams, Subscribed};
use goald_schema::protocol::target::Target;
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;

/// At most this many events are read at once.
const PAGE: usize = 256;
/// A page's events take at most about this much of a frame, in bytes.
const PAGE_BYTES: usize = 512 * 1024;

/// Reads a page of events.
pub async fn read(client: &Client, params: LogParams) -> Result<LogReply, WireError> {
    let session = session(client, params.target.as_ref()).await?;
    let mut events = page(client, params.after, session).await?;
    let full = events.len() == PAGE;
    let mut bytes = 0_usize;
    let fits = events
        .iter()
        .take_while(|event| {
            bytes = bytes.saturating_add(serde_json::to_string(event).map_or(0, |line| line.len()));
            bytes <= PAGE_BYTES
        })
        .count()
        .max(1);
    let cut = fits < events.len();
    events.truncate(fits);
    let next = if full || cut { events.last().map(|event| event.position) } else { None };
    Ok(LogReply { events, next })
}

/// Streams events from a position on. The reply comes first; then the stream runs until the connection ends.
pub async fn subscribe(client: &Client, params: SubscribeLogParams) -> Result<Subscribed, WireError> {
    let session = session(client, params.target.as_ref()).await?;
    let client = client.clone();
    // The reply comes first, so this is a task of its own. It ends with the connection.
    tokio::spawn(async move {
        if let Err(error) = stream(&client, params.after, session).await {
            let params = serde_json::to_value(error).unwrap_or_default();
            client.notify(LOG_END, params).await;
        }
    });
    Ok(Subscribed {})
}

async fn stream(client: &Client, mut after: Position, session: Option<SessionId>) -> Result<(), WireError> {
    let mut newest = client.service.shared.store.position();
    loop {
        // Marked as seen before reading: what is committed meanwhile wakes the next turn.
        newest.borrow_and_update();
        loop {
            let events = page(client, after, session).await?;
            let Some(last) = events.last().map(|event| event.position) else { break };
            for event in events {
                let event = serde_json::to_value(event)
                    .map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?;
                if !client.notify(LOG_EVENT, event).await {
                    return Ok(());
                }
            }
            after = last;
        }
        tokio::select! {
            changed = newest.changed() => if changed.is_err() { return Ok(()) },
            () = client.gone() => return Ok(()),
        }
    }
}

async fn session(client: &Client, target: Option<&Target>) -> Result<Option<SessionId>, WireError> {
    match target {
        None => Ok(None),
        Some(target) => Ok(Some(existing(client, target).await?.id)),
    }
}

/// At most a page of events after a position.
pub async fn page(client: &Client, after: Position, session: Option<SessionId>) -> Result<Vec<EventRecord>, WireError> {
    let store = Arc::clone(&client.service.shared.store);
    let read = tokio::task::spawn_blocking(move || store.tail(after, session, PAGE)).await;
    let read: Result<_, StoreError> = read.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?;
    Ok(read?)
}
