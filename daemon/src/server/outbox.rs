//! Lines out: a few wait for a slow reader, bounded in bytes; then whoever has more to say waits too.

use super::lines::PATIENCE;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How many lines may wait.
const LINES: usize = 64;
/// How many bytes of lines may wait. A longer line waits alone.
const BYTES: u32 = 64 * 1024;

/// A line on its way out.
#[derive(Debug)]
struct Out {
    line: String,
    written: Option<oneshot::Sender<()>>,
    _room: OwnedSemaphorePermit,
}

/// Where lines to a client are put.
#[derive(Clone, Debug)]
pub struct Outbox {
    lines: mpsc::Sender<Out>,
    room: Arc<Semaphore>,
    closing: CancellationToken,
}

impl Outbox {
    /// With the task that writes what is put here.
    pub fn new(write: OwnedWriteHalf) -> (Self, JoinHandle<()>) {
        let (lines, waiting) = mpsc::channel(LINES);
        let room = Arc::new(Semaphore::new(usize::try_from(BYTES).unwrap_or(Semaphore::MAX_PERMITS)));
        let outbox = Self { lines, room, closing: CancellationToken::new() };
        let writer = tokio::spawn(write_all(write, waiting, outbox.closing.clone()));
        (outbox, writer)
    }

    /// Puts a line; `false` once nobody reads any more.
    pub async fn send(&self, line: String) -> bool {
        self.put(line, None).await
    }

    /// Puts a line and waits until it is written, for as long as somebody may be expected to read.
    pub async fn send_and_wait(&self, line: String) {
        let (written, is_written) = oneshot::channel();
        let sent = async {
            if self.put(line, Some(written)).await {
                // A peer that is gone hears nothing, and is not waited for.
                drop(is_written.await);
            }
        };
        drop(tokio::time::timeout(PATIENCE, sent).await);
    }

    /// Waits until nobody reads any more.
    pub async fn closed(&self) {
        self.closing.cancelled().await;
    }

    /// Whoever waits to say something here, gives up. What waits already is still written.
    pub fn close(&self) {
        self.closing.cancel();
    }

    async fn put(&self, line: String, written: Option<oneshot::Sender<()>>) -> bool {
        let bytes = u32::try_from(line.len()).unwrap_or(BYTES).min(BYTES);
        let put = async {
            let Ok(room) = Arc::clone(&self.room).acquire_many_owned(bytes).await else { return false };
            self.lines.send(Out { line, written, _room: room }).await.is_ok()
        };
        tokio::select! {
            put = put => put,
            () = self.closing.cancelled() => false,
        }
    }
}

async fn write_all(mut write: OwnedWriteHalf, mut waiting: mpsc::Receiver<Out>, closing: CancellationToken) {
    while let Some(Out { mut line, written, _room: room }) = waiting.recv().await {
        line.push('\n');
        if write.write_all(line.as_bytes()).await.is_err() {
            break;
        }
        drop(room);
        // Whoever wanted to know may be gone.
        written.map(|written| written.send(()));
    }
    closing.cancel();
}
