//! `daemon.status`, `daemon.stop`.

use crate::server::Client;
use goald_core::authority::{Role, permits};
use goald_schema::actor::Actor;
use goald_schema::event::Operation;
use goald_schema::protocol::daemon::{DaemonStatusReply, DaemonStopReply, NoParams};
use goald_schema::{ErrorCode, WireError};

/// Reads how the daemon is.
pub fn status(client: &Client, _: NoParams) -> Result<DaemonStatusReply, WireError> {
    let shared = &client.service.shared;
    let loaded = client.service.registry.loaded();
    Ok(DaemonStatusReply {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: client.service.started_at,
        home: shared.home.state.to_string_lossy().into_owned(),
        socket: shared.home.socket.to_string_lossy().into_owned(),
        log: shared.home.log().to_string_lossy().into_owned(),
        sessions_loaded: u64::try_from(loaded).unwrap_or(u64::MAX),
        running: u64::try_from(shared.scheduler.held()).unwrap_or(u64::MAX),
        store_damage: shared.store.damage().map(Into::into),
    })
}

/// Fences everything; the connection lets the daemon end once this answer is out. A person's business alone.
pub async fn stop(client: &Client, _: NoParams) -> Result<DaemonStopReply, WireError> {
    let role = match client.actor(client.token_session()) {
        Actor::Human => Role::Human,
        Actor::Other { why } => Role::Other(why),
        // Whatever its turn, no agent stops the daemon.
        Actor::Agent { .. } | Actor::Driver | Actor::Verifier | Actor::Policy => Role::AgentInRound,
    };
    permits(role, Operation::StopDaemon).map_err(|why| {
        tracing::warn!(?role, "stopping the daemon was refused");
        WireError::new(ErrorCode::NotPermitted, why).hint("a person can do this from a terminal of their own")
    })?;
    client.service.shutdown.fence(&client.service.registry).await;
    Ok(DaemonStopReply { pid: std::process::id() })
}
