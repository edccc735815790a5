//! The log: the only authority over what happened (`docs/rules.md`, "The log").
//!
//! [`Store`] is what the rest of the daemon sees, small enough that another database can stand behind it;
//! [`SqliteStore`] is the one there is. One writer thread groups the appends of all sessions into durable commits
//! (`writer`); readers work beside it. Nothing here knows what an event means, except where a session is opened and
//! whether an attempt is open; nothing here repairs anything.

mod anchor;
mod append;
mod blob;
mod chain;
mod checkpoint;
mod commit;
mod error;
mod head;
mod health;
mod insert;
mod inspect;
mod migrations;
mod open;
mod purge;
mod reader;
mod recovered;
mod replay;
mod row;
mod salvage;
mod sessions;
mod sqlite;
mod structure;
mod tail;
mod writer;

#[cfg(test)]
mod tests;

pub use append::{Append, PendingAppend};
pub use blob::Blob;
pub use error::StoreError;
pub use inspect::{Beside, Blobs, Gap, Inspection, TOLD};
pub use purge::{Purge, Purged};
pub use recovered::mark;
pub use salvage::salvage;
pub use sessions::Listed;
pub use sqlite::SqliteStore;

use goald_schema::event::EventRecord;
use goald_schema::id::{BlobHash, EventId, SessionId};
use goald_schema::number::{Position, Seq};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Which holding of a session's lease this is. A holder that lost it has a smaller one than the present holder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Epoch(pub u64);

/// What takes the events of a replay.
pub type Each<'a> = dyn FnMut(EventRecord) -> Result<(), StoreError> + 'a;

/// An append-only log of all sessions' events, with the blobs that they name.
///
/// Reads block on the disk: call them where blocking is allowed.
pub trait Store: Send + Sync + 'static {
    /// Queues an append. What it returns resolves only after the durable commit; dropping that does not cancel.
    ///
    /// An append whose first event is already stored at the place it is meant for is the repetition of one whose
    /// answer got lost, and is answered with what is stored.
    ///
    /// # Errors
    /// By way of the future: [`StoreError::Conflict`] if the session has other events than `expected` says, and
    /// whatever else kept it from being durable.
    fn append(&self, append: Append) -> PendingAppend;

    /// Hands over the events of a session after `after` (0: all), one by one, so that a long session needs no more memory
    /// than a short one. Chain and numbering are verified before each, the end after the last: what was made of the events
    /// counts only once this has returned. None for a session that does not exist.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with the place, if anything at all does not fit; the error of `each`, which ends it.
    fn replay(&self, session: SessionId, after: Seq, each: &mut Each<'_>) -> Result<(), StoreError>;

    /// As [`Self::replay`], all at once.
    ///
    /// # Errors
    /// Those of [`Self::replay`].
    fn read(&self, session: SessionId, after: Seq) -> Result<Vec<EventRecord>, StoreError> {
        let mut records = Vec::new();
        self.replay(session, after, &mut |record| {
            records.push(record);
            Ok(())
        })?;
        Ok(records)
    }

    /// At most `limit` committed events after a position, of one session or of all. A reader that goes on after the
    /// last one it got misses none and gets none twice. Does not verify the chain.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] at an event that cannot be decoded.
    fn tail(&self, after: Position, session: Option<SessionId>, limit: usize) -> Result<Vec<EventRecord>, StoreError>;

    /// A blob's bytes; `None` if it was never stored or has been purged.
    ///
    /// # Errors
    /// [`StoreError::BlobDamaged`] if the bytes do not have that hash.
    fn blob(&self, hash: &BlobHash) -> Result<Option<Vec<u8>>, StoreError>;

    /// Which of these blobs could be deleted now.
    ///
    /// # Errors
    /// Those of the database.
    fn purgeable(&self, purge: &Purge) -> Result<Purged, StoreError>;

    /// Deletes those of these blobs that no event names but those that were taken into account, durably, and so that
    /// nothing of them stays in the files. Events are not touched.
    ///
    /// # Errors
    /// Those of the database; nothing was deleted then.
    fn purge(&self, purge: Purge) -> Result<Purged, StoreError>;

    /// The event with this id: tells a repeated request from a new one.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be decoded.
    fn event(&self, id: EventId) -> Result<Option<EventRecord>, StoreError>;

    /// Every session with how it was opened, in opening order; those whose beginning is gone come last. One that is
    /// damaged there hides no other.
    ///
    /// # Errors
    /// Those of the database.
    fn sessions(&self) -> Result<Vec<(SessionId, Listed)>, StoreError>;

    /// Structural damage, once it was seen: every append is refused with it, reads go on as they can.
    fn damage(&self) -> Option<StoreError>;

    /// Cancelled as soon as structural damage was seen, by whoever came upon it.
    fn damaged(&self) -> CancellationToken;

    /// The sessions with an attempt that was started and has not ended.
    ///
    /// # Errors
    /// Those of the database.
    fn open_attempts(&self) -> Result<Vec<SessionId>, StoreError>;

    /// The newest committed position, 0 before the first event; changes after each commit.
    fn position(&self) -> watch::Receiver<Position>;

    /// Takes the lease of a session. Without it, no other daemon may write there.
    ///
    /// # Errors
    /// Where several daemons share a store: another one holds it.
    fn claim(&self, session: SessionId) -> Result<Epoch, StoreError>;

    /// Keeps a lease.
    ///
    /// # Errors
    /// Where several daemons share a store: it was lost.
    fn renew(&self, session: SessionId, epoch: Epoch) -> Result<(), StoreError>;

    /// Gives a lease back.
    ///
    /// # Errors
    /// Where several daemons share a store: it was lost.
    fn release(&self, session: SessionId, epoch: Epoch) -> Result<(), StoreError>;
}
