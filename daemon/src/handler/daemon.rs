//! `daemon.status`, `daemon.stop`.

use super::change::{Extras, ask};
use crate::server::Client;
use goald_core::Command;
use goald_core::authority::{Role, permits};
use goald_schema::actor::Actor;
use goald_schema::event::Operation;
use goald_schema::protocol::daemon::{DaemonStatusReply, DaemonStopReply, NoParams};
use goald_schema::{ErrorCode, WireError};

/// Reads how the daemon is.
pub async fn status(client: &Client, _: NoParams) -> Result<DaemonStatusReply, WireError> {
    let shared = &client.service.shared;
    let loaded = client.service.registry.running().await.len();
    Ok(DaemonStatusReply {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: client.service.started_at,
        home: shared.home.state.to_string_lossy().into_owned(),
        socket: shared.home.socket.to_string_lossy().into_owned(),
        log: shared.home.log().to_string_lossy().into_owned(),
        sessions_loaded: u64::try_from(loaded).unwrap_or(u64::MAX),
        running: u64::try_from(shared.scheduler.held()).unwrap_or(u64::MAX),
    })
}

/// The refusal, on record in the session that whoever asks belongs to, where that can be told.
async fn refused(client: &Client, actor: Actor) -> WireError {
    if let Some(session) = client.belongs()
        && let Ok(session) = client.service.registry.get(session).await
        && let Err(error) = ask(client, &session, Command::Judge(Operation::StopDaemon), Extras::default()).await
    {
        return error;
    }
    let role = match actor {
        Actor::Other { why } => Role::Other(why),
        // Whatever its turn, no agent stops the daemon.
        _ => Role::AgentInRound,
    };
    let why = permits(role, Operation::StopDaemon).err().unwrap_or_default();
    WireError::new(ErrorCode::NotPermitted, why).hint("a person can do this from a terminal of their own")
}

/// Fences everything; the connection lets the daemon end once this answer is out. A person's business alone.
pub async fn stop(client: &Client, _: NoParams) -> Result<DaemonStopReply, WireError> {
    let actor = client.actor(None);
    if actor != Actor::Human {
        tracing::warn!(?actor, "stopping the daemon was refused");
        return Err(refused(client, actor).await);
    }
    client.service.shutdown.fence(&client.service.registry).await;
    Ok(DaemonStopReply { pid: std::process::id() })
}
