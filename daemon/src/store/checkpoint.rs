//! Moving committed pages from the write-ahead log into the database, with its errors in sight.
//!
//! `SQLite`'s automatic checkpoint drops them: a failed sync would be tried again, succeed, and hide what was lost.

use super::error::StoreError;
use crate::crash::{self, Place};
use rusqlite::Connection;

/// So many pages may wait in the log before they are moved; `SQLite`'s own default.
const PAGES: i64 = 1_000;

/// Moves the pages if enough of them wait. Readers are not disturbed; what they still need stays.
///
/// # Errors
/// [`StoreError::SyncFailed`]: nothing may be written any more. A full disk is none: the pages are safe where they are.
pub(super) fn if_due(connection: &Connection) -> Result<(), StoreError> {
    match waiting(connection) {
        Ok(pages) if pages < PAGES => Ok(()),
        Ok(_) => {
            crash::at(Place::CheckpointDue);
            let moved = verdict(run(connection, "PRAGMA wal_checkpoint(PASSIVE)").map(drop));
            crash::at(Place::CheckpointDone);
            moved
        }
        Err(error) => verdict(Err(error)),
    }
}

/// Moves all pages and empties the log, before the database is closed.
///
/// # Errors
/// As [`if_due`].
pub(super) fn last(connection: &Connection) -> Result<(), StoreError> {
    verdict(run(connection, "PRAGMA wal_checkpoint(TRUNCATE)").map(drop))
}

/// Moves all pages and empties the log, for good.
///
/// # Errors
/// [`StoreError::SyncFailed`]; or that something still reads what is in the log, which then stays until the next time.
pub(super) fn truncate(connection: &Connection) -> Result<(), StoreError> {
    let busy: i64 = connection.prepare_cached("PRAGMA wal_checkpoint(TRUNCATE)")?.query_row([], |row| row.get(0))?;
    if busy == 0 {
        return Ok(());
    }
    let message = "the write-ahead log is being read; it is emptied when the daemon stops".to_owned();
    Err(StoreError::Sqlite { code: rusqlite::ffi::SQLITE_BUSY, message })
}

/// How many pages wait in the log.
fn waiting(connection: &Connection) -> Result<i64, StoreError> {
    let (log, moved) = run(connection, "PRAGMA wal_checkpoint(NOOP)")?;
    Ok(log.saturating_sub(moved))
}

/// Pages in the log, and how many of them are moved.
fn run(connection: &Connection, pragma: &str) -> Result<(i64, i64), StoreError> {
    Ok(connection.prepare_cached(pragma)?.query_row([], |row| Ok((row.get(1)?, row.get(2)?)))?)
}

fn verdict(result: Result<(), StoreError>) -> Result<(), StoreError> {
    match result {
        Err(error) if error.is_failed_sync() => {
            tracing::error!(%error, "moving committed pages into the database failed");
            Err(StoreError::SyncFailed)
        }
        Err(error) => {
            tracing::warn!(%error, "committed pages stay in the write-ahead log for now");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_sync_ends_writing_and_a_full_disk_does_not() {
        let sync = StoreError::Sqlite { code: rusqlite::ffi::SQLITE_IOERR_FSYNC, message: "disk I/O error".to_owned() };
        assert_eq!(verdict(Err(sync)), Err(StoreError::SyncFailed));
        assert_eq!(verdict(Err(StoreError::DiskFull)), Ok(()));
    }
}
