//! `purge`.

use super::change::{Extras, ask, existing};
use super::judge::person_only;
use crate::purge::{Mode, purge};
use crate::server::Client;
use goald_core::Command;
use goald_schema::event::Operation;
use goald_schema::id::SessionId;
use goald_schema::protocol::purge::{PurgeParams, PurgeReply};
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;

/// How many sessions are asked for at once.
const PAGE: usize = 1_000;

/// Frees what finished goals have left beside the log. A person's business alone.
pub async fn handle(client: &Client, params: PurgeParams) -> Result<PurgeReply, WireError> {
    let sessions = match params.target {
        Some(target) => {
            let session = existing(client, &target).await?;
            ask(client, &session, Command::Judge(Operation::Purge), Extras::default()).await?;
            vec![session.id]
        }
        None => every(client).await?,
    };
    let mode = if params.dry_run { Mode::DryRun } else { Mode::Delete };
    let shared = Arc::clone(&client.service.shared);
    let done = tokio::task::spawn_blocking(move || purge(&shared, &sessions, mode)).await;
    let reply = done.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))??;
    if mode == Mode::Delete {
        let PurgeReply { sessions, goals, blobs, files, bytes, .. } = reply;
        tracing::info!(sessions, goals, blobs, files, bytes, "a person purged what finished goals had left");
    }
    Ok(reply)
}

/// Every session there is, if whoever asks may purge them.
async fn every(client: &Client) -> Result<Vec<SessionId>, WireError> {
    person_only(client, Operation::Purge).await?;
    let registry = &client.service.registry;
    let mut sessions = Vec::new();
    loop {
        let (page, more) = registry.page(sessions.last().copied(), PAGE)?;
        sessions.extend(page);
        if !more {
            return Ok(sessions);
        }
    }
}
