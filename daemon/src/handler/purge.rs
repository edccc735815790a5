//! `purge`.

use super::change::{Extras, ask, existing};
use crate::purge::{Mode, purge};
use crate::server::Client;
use goald_core::Command;
use goald_core::authority::{Role, permits};
use goald_schema::actor::Actor;
use goald_schema::event::Operation;
use goald_schema::id::SessionId;
use goald_schema::protocol::purge::{PurgeParams, PurgeReply};
use goald_schema::protocol::target::Target;
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;

/// How many sessions are asked for at once.
const PAGE: usize = 1_000;

/// Frees what finished goals have left beside the log. A person's business alone.
pub async fn handle(client: &Client, params: PurgeParams) -> Result<PurgeReply, WireError> {
    let sessions = match params.target {
        Some(target) => {
            let session = existing(client, &target).await?;
            ask(client, &session, Command::Purge, Extras::default()).await?;
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
    let own = client.token_session();
    let role = match client.actor(own) {
        Actor::Human => Role::Human,
        Actor::Other { why } => Role::Other(why),
        // Whatever its turn, no agent purges. Its try is recorded in its own session.
        Actor::Agent { .. } | Actor::Driver | Actor::Verifier | Actor::Policy => Role::AgentInRound,
    };
    if let (Role::AgentInRound, Some(own)) = (role, own) {
        let session = existing(client, &Target::Session { session: own }).await?;
        ask(client, &session, Command::Purge, Extras::default()).await?;
    }
    permits(role, Operation::Purge).map_err(|why| {
        tracing::warn!(?role, "purging every session was refused");
        WireError::new(ErrorCode::NotPermitted, why).hint("a person can do this from a terminal of their own")
    })?;
    let registry = &client.service.registry;
    let mut sessions = Vec::new();
    loop {
        let (page, more) = registry.page(sessions.last().copied(), PAGE).await;
        sessions.extend(page);
        if !more {
            return Ok(sessions);
        }
    }
}
