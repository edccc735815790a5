//! Deleting blobs so that nothing of them is left in the files, and none that anything else names.
//!
//! Whoever asks has read what some sessions' events say, up to a number each, and says which blobs these no longer need.
//! Every other event is looked at here: most of them beside the writer, those that came meanwhile by the writer itself.

use super::commit::Committer;
use super::error::StoreError;
use super::reader::Readers;
use super::row::session_from;
use super::writer::Writer;
use super::{blob, checkpoint};
use goald_schema::id::{BlobHash, SessionId};
use goald_schema::number::Seq;
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};

/// Which blobs may go.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Purge {
    /// What is no longer needed, as far as whoever asks knows.
    pub blobs: HashSet<BlobHash>,
    /// The last event of each session that was taken into account for that.
    pub looked: HashMap<SessionId, Seq>,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Purged {
    /// The blobs that are gone, or would be, with their sizes in bytes.
    pub blobs: HashMap<BlobHash, u64>,
    /// Why something of them may still be in the files, if so.
    pub residue: Option<String>,
}

/// What would be deleted.
pub(super) fn plan(readers: &Readers, purge: &Purge) -> Result<Purged, StoreError> {
    let (allowed, _) = survey(readers, purge)?;
    let sizes = |connection: &Connection| {
        let mut blobs = HashMap::new();
        for hash in allowed {
            if let Some(size) = blob::size(connection, &hash)? {
                blobs.insert(hash, size);
            }
        }
        Ok(blobs)
    };
    Ok(Purged { blobs: readers.snapshot(sizes)?, residue: None })
}

/// Deletes. Blocks until it is durable.
pub(super) fn run(readers: &Readers, writer: &Writer, purge: Purge) -> Result<Purged, StoreError> {
    let (blobs, after) = survey(readers, &purge)?;
    writer.purge(Purge { blobs, ..purge }, after)
}

/// What no event names that there is now, and the position of the last of these.
fn survey(readers: &Readers, purge: &Purge) -> Result<(HashSet<BlobHash>, i64), StoreError> {
    readers.snapshot(|connection| {
        let newest = connection.query_row("SELECT coalesce(max(position), 0) FROM events", [], |row| row.get(0))?;
        Ok((unnamed(connection, purge, 0)?, newest))
    })
}

/// Those of the blobs that no event after a position names, other than those that were taken into account. The stored
/// text is searched, not decoded: what a damaged session names stays too.
fn unnamed(connection: &Connection, purge: &Purge, after: i64) -> Result<HashSet<BlobHash>, StoreError> {
    let mut blobs = purge.blobs.clone();
    let mut statement =
        connection.prepare_cached("SELECT session, seq, data FROM events WHERE position > ?1 ORDER BY position")?;
    let mut rows = statement.query(params![after])?;
    while let Some(row) = rows.next()? {
        let session: [u8; 16] = row.get(0)?;
        let seq: i64 = row.get(1)?;
        let looked = purge.looked.get(&session_from(&session)?).and_then(|seq| i64::try_from(seq.get()).ok());
        if looked.is_none_or(|looked| seq > looked) {
            for named in hashes(row.get_ref(2)?.as_str().unwrap_or_default()) {
                blobs.remove(&named);
            }
        }
    }
    Ok(blobs)
}

/// Everything in a stored text that may be the name of a blob: strings of 64 hexadecimal digits.
fn hashes(data: &str) -> impl Iterator<Item = BlobHash> {
    data.split('"').filter(|word| word.len() == 64).filter_map(|word| BlobHash::try_from(word.to_owned()).ok())
}

impl Committer {
    /// Deletes what nobody names, durably, and then cleans the files.
    pub fn purge(&mut self, purge: &Purge, after: i64) -> Result<Purged, StoreError> {
        let blobs = self.alone(|connection| {
            let mut gone = HashMap::new();
            for hash in unnamed(connection, purge, after)? {
                if let Some(size) = blob::size(connection, &hash)? {
                    blob::delete(connection, &hash)?;
                    gone.insert(hash, size);
                }
            }
            Ok(gone)
        })?;
        // Always, also for what an earlier purge could not clean.
        let residue = match self.outside(clean) {
            Ok(()) => None,
            Err(StoreError::SyncFailed) => return Err(StoreError::SyncFailed),
            Err(error) => Some(error.to_string()),
        };
        Ok(Purged { blobs, residue })
    }
}

/// Writes the database anew: pages keep copies of what was moved within them, which no deletion reaches. Then empties the
/// write-ahead log, which holds what was written last.
fn clean(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch("VACUUM")?;
    checkpoint::truncate(connection)
}
