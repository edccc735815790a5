//! The socket: JSON-RPC 2.0, one JSON object a line (`docs/protocol.md`).

mod connection;
mod frame;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod route;
mod stop;

pub use connection::Client;
pub use stop::Shutdown;

use crate::peer::Peer;
use crate::registry::Registry;
use crate::shared::Shared;
use goald_schema::Timestamp;
use std::sync::Arc;
use tokio::net::UnixListener;

/// What every connection can reach.
pub struct Service {
    /// The daemon's common things.
    pub shared: Arc<Shared>,
    /// The sessions.
    pub registry: Registry,
    /// The way to stop.
    pub shutdown: Shutdown,
    /// When the daemon started.
    pub started_at: Timestamp,
}

/// Accepts connections until the daemon stops.
pub async fn serve(service: Arc<Service>, listener: UnixListener) {
    let stopped = service.shutdown.requested();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped.cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                let peer = Peer::of(&stream);
                tokio::spawn(connection::run(Arc::clone(&service), stream, peer));
            }
            Err(error) => {
                tracing::error!(%error, "a connection could not be accepted");
                // Out of descriptors: give the ones in use time to come back instead of spinning.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
}
