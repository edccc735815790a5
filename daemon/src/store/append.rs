//! What a caller hands to the writer, and what it gets for it.

use super::blob::Blob;
use super::error::StoreError;
use goald_schema::event::{EventData, EventRecord};
use goald_schema::id::SessionId;
use goald_schema::number::Seq;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// Events that become durable together, or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Append {
    /// Whose events.
    pub session: SessionId,
    /// The last event of the session that the caller knows; 0 if it knows none.
    pub expected: Seq,
    /// In order; the first gets the number after `expected`.
    pub events: Vec<EventData>,
    /// What the events name by hash.
    pub blobs: Vec<Blob>,
}

/// What became of an append: its events as they stand in the log, or why it was not made.
pub(super) type AppendResult = Result<Vec<EventRecord>, StoreError>;

/// An append on its way. Resolves only after its commit is durable; dropping it cancels nothing.
#[derive(Debug)]
#[must_use = "an append is durable only when this has resolved"]
pub struct PendingAppend {
    answer: oneshot::Receiver<AppendResult>,
}

impl PendingAppend {
    /// The two ends: one for the writer, one for the caller.
    pub(super) fn channel() -> (oneshot::Sender<AppendResult>, Self) {
        let (sender, answer) = oneshot::channel();
        (sender, Self { answer })
    }

    /// Blocks until the commit is durable. For threads outside the runtime; panics inside one, as tokio's own does.
    pub fn wait(self) -> Result<Vec<EventRecord>, StoreError> {
        self.answer.blocking_recv().unwrap_or(Err(StoreError::Closed))
    }
}

impl Future for PendingAppend {
    type Output = Result<Vec<EventRecord>, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answer).poll(context).map(|answer| answer.unwrap_or(Err(StoreError::Closed)))
    }
}
