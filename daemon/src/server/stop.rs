//! Stopping: first nothing starts and every prompt is fenced, then the answer, then what runs is ended, then the daemon.

use crate::registry::Registry;
use tokio::sync::{Mutex, oneshot};
use tokio_util::sync::CancellationToken;

/// The way to stop the daemon, once.
#[derive(Debug)]
pub struct Shutdown {
    requested: CancellationToken,
    leaving: Mutex<Vec<oneshot::Receiver<()>>>,
}

impl Shutdown {
    /// By way of this token.
    pub fn new(requested: CancellationToken) -> Self {
        Self { requested, leaving: Mutex::default() }
    }

    /// Cancelled when the daemon is to stop.
    pub fn requested(&self) -> CancellationToken {
        self.requested.clone()
    }

    /// Disarms every session and fences what runs. When this answers, no byte of a prompt can be written any more.
    pub async fn fence(&self, registry: &Registry) {
        let mut leaving = self.leaving.lock().await;
        let mut fences = Vec::new();
        for session in registry.running() {
            let (closed, gone) = session.stop().await;
            fences.push(closed);
            leaving.push(gone);
        }
        for fenced in fences {
            // A task that is gone has nothing to fence.
            drop(fenced.await);
        }
    }

    /// Lets the daemon end.
    pub fn request(&self) {
        self.requested.cancel();
    }

    /// Waits until nothing runs any more.
    pub async fn quiet(&self) {
        for gone in self.leaving.lock().await.drain(..) {
            drop(gone.await);
        }
    }
}
