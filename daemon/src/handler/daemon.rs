//! `daemon.status`, `daemon.stop`.

use super::judge::person_only;
use crate::crash::{self, Place};
use crate::server::Client;
use goald_schema::WireError;
use goald_schema::event::Operation;
use goald_schema::protocol::daemon::{DaemonStatusReply, DaemonStopReply, NoParams};

/// Reads how the daemon is.
pub fn status(client: &Client) -> DaemonStatusReply {
    let shared = &client.service.shared;
    let loaded = client.service.registry.loaded();
    DaemonStatusReply {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: client.service.started_at,
        home: shared.home.state.to_string_lossy().into_owned(),
        socket: shared.home.socket.to_string_lossy().into_owned(),
        log: shared.home.log().to_string_lossy().into_owned(),
        sessions_loaded: u64::try_from(loaded).unwrap_or(u64::MAX),
        running: u64::try_from(shared.scheduler.held()).unwrap_or(u64::MAX),
        store_damage: shared.store.damage().map(Into::into),
    }
}

/// Fences everything; the connection lets the daemon end once this answer is out. A person's business alone.
pub async fn stop(client: &Client, _: NoParams) -> Result<DaemonStopReply, WireError> {
    person_only(client, Operation::StopDaemon).await?;
    client.service.shutdown.fence(&client.service.registry).await;
    crash::at(Place::StopFenced);
    Ok(DaemonStopReply { pid: std::process::id() })
}
