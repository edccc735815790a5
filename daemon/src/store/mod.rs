//! The log: events, blobs and heads behind a small trait (`docs/ARCHITECTURE.md`, "The log").
//!
//! Nothing here knows the rules of a goal. Reads block and are called from blocking tasks; an append is answered only
//! after its durable commit.

mod blob;
mod chain;
mod error;
mod reader;
mod row;
mod schema;
mod sqlite;
mod writer;

pub use blob::Blob;
pub use error::StoreError;
pub use sqlite::SqliteStore;

use goald_schema::event::{EventData, EventRecord, SessionOpened};
use goald_schema::id::{BlobHash, EventId, SessionId};
use goald_schema::number::{Position, Seq};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::{oneshot, watch};

/// Facts of one session that become durable together.
#[derive(Clone, Debug)]
pub struct Append {
    /// Whose.
    pub session: SessionId,
    /// The last event that whoever appends knows of; 0 for none.
    pub expected: Seq,
    /// At least one.
    pub events: Vec<EventData>,
    /// The texts that the events name.
    pub blobs: Vec<Blob>,
}

/// Who may append to a session, and since which claim. One daemon on one file needs no contest; a store that several
/// daemons share does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Epoch(pub u64);

/// What a session's task and the readers need of a store.
pub trait Store: Send + Sync + 'static {
    /// Queues an append. The future resolves after the durable commit; dropping it cancels nothing.
    fn append(&self, append: Append) -> PendingAppend;

    /// A session's events after `after`, checked: without gaps, with an unbroken chain, down to the head row.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with the position, or that it cannot be read.
    fn read(&self, session: SessionId, after: Seq) -> Result<Vec<EventRecord>, StoreError>;

    /// At most `limit` events after a position, of one session or of all, in the order of positions.
    ///
    /// # Errors
    /// That it cannot be read.
    fn tail(&self, after: Position, session: Option<SessionId>, limit: usize) -> Result<Vec<EventRecord>, StoreError>;

    /// A blob; none where it was lost or purged.
    ///
    /// # Errors
    /// That it cannot be read.
    fn blob(&self, hash: &BlobHash) -> Result<Option<Vec<u8>>, StoreError>;

    /// An event by id, to recognise a repeated request.
    ///
    /// # Errors
    /// That it cannot be read.
    fn event(&self, id: EventId) -> Result<Option<EventRecord>, StoreError>;

    /// Every session that was opened, in that order.
    ///
    /// # Errors
    /// That it cannot be read.
    fn sessions(&self) -> Result<Vec<(SessionId, SessionOpened)>, StoreError>;

    /// Sessions with an attempt that started and has not ended.
    ///
    /// # Errors
    /// That it cannot be read.
    fn open_attempts(&self) -> Result<Vec<SessionId>, StoreError>;

    /// The newest committed position, and how to learn of newer ones.
    fn position(&self) -> watch::Receiver<Position>;

    /// Claims a session for this daemon.
    ///
    /// # Errors
    /// That another daemon has it, in stores that several can share.
    fn claim(&self, session: SessionId) -> Result<Epoch, StoreError>;

    /// Renews a claim.
    ///
    /// # Errors
    /// That it was lost meanwhile.
    fn renew(&self, session: SessionId, epoch: Epoch) -> Result<(), StoreError>;

    /// Gives a claim back.
    ///
    /// # Errors
    /// That it was lost before.
    fn release(&self, session: SessionId, epoch: Epoch) -> Result<(), StoreError>;
}

/// An append on its way.
#[derive(Debug)]
pub struct PendingAppend(oneshot::Receiver<Result<Vec<EventRecord>, StoreError>>);

impl Future for PendingAppend {
    type Output = Result<Vec<EventRecord>, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|answer| answer.unwrap_or(Err(StoreError::Closed)))
    }
}
