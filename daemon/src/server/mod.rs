//! The socket: JSON-RPC 2.0, one JSON object a line (`docs/protocol.md`).

mod connection;
mod frame;
mod lines;
mod outbox;
mod places;
mod route;
mod stop;

pub use connection::Client;
pub use stop::Shutdown;

use crate::peer::Peer;
use crate::registry::Registry;
use crate::shared::Shared;
use goald_schema::Timestamp;
use lines::LARGE_LINES;
use places::Places;
use std::sync::Arc;
use tokio::net::UnixListener;
use tokio::sync::Semaphore;

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
    /// Large lines that may be held at once.
    large: Arc<Semaphore>,
    places: Places,
}

impl Service {
    /// With nobody connected yet.
    pub fn new(shared: Arc<Shared>, registry: Registry, started_at: Timestamp) -> Self {
        let shutdown = Shutdown::new(shared.stop.clone());
        let large = Arc::new(Semaphore::new(LARGE_LINES));
        Self { shared, registry, shutdown, started_at, large, places: Places::of_this_process() }
    }
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
                match service.places.take(peer.as_ref().ok(), &service.shared.tokens) {
                    Ok(place) => {
                        let service = Arc::clone(&service);
                        tokio::spawn(async move {
                            connection::run(service, stream, peer).await;
                            drop(place);
                        });
                    }
                    // A new connection has room for a line, and whoever is gone hears nothing.
                    Err(error) => drop(stream.try_write((frame::answer(None, Err(error)) + "\n").as_bytes())),
                }
            }
            Err(error) => {
                tracing::error!(%error, "a connection could not be accepted");
                // Out of descriptors: give the ones in use time to come back instead of spinning.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
}
