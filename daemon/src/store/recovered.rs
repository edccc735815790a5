//! The mark of a log that a recovery has written: up to which position events may be missing without that being news.
//!
//! It stands in the header of the database, where SQLite keeps a number for applications and otherwise leaves it alone.

use super::error::StoreError;
use goald_schema::number::Position;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// Marks a database that nobody uses.
///
/// # Errors
/// Those of the database.
pub fn mark(database: &Path, up_to: Position) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    // Beyond what the header can say, what is missing is told as news.
    connection.pragma_update(None, "application_id", i32::try_from(up_to.get()).unwrap_or(i32::MAX))?;
    connection.close().map_err(|(_, error)| error.into())
}

/// Up to where a recovery knows of what is missing; 0 where there was none.
///
/// # Errors
/// Those of the database.
pub(super) fn marked(connection: &Connection) -> Result<Position, StoreError> {
    let marked: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    Ok(Position(u64::try_from(marked).unwrap_or(0)))
}
