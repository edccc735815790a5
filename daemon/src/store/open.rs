//! Opening connections: the file and its mode, the safety of the linked `SQLite`, and what each connection is set to.

use super::error::StoreError;
use super::{anchor, migrations, structure};
use crate::crash::{self, Place};
use goald_schema::number::Position;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// The last version that can corrupt a database when the write-ahead log is reset, as `sqlite3_libversion_number`.
const LAST_UNSAFE: i32 = 3_051_002;

/// Only the owner reads and writes; `SQLite` gives `-wal` and `-shm` the mode of the database.
const MODE: u32 = 0o600;

/// Opens the database for its one writer; creates it, or raises its format, as needed.
///
/// # Errors
/// [`StoreError::UnsafeSqlite`]; [`StoreError::Newer`], [`StoreError::Corrupt`] (the file is untouched); or what the database says.
pub(super) fn writer(path: &Path) -> Result<Connection, StoreError> {
    check_version(rusqlite::version_number(), rusqlite::version())?;
    create(path)?;
    look(path)?;
    let mut connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | flags())?;
    // SQLite falls back to that without a word.
    if connection.is_readonly("main")? {
        return Err(StoreError::ReadOnly { message: format!("{}: no write permission", path.display()) });
    }
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(StoreError::Sqlite { code: 0, message: format!("the journal mode stays {mode}, not wal") });
    }
    // A commit is synchronised before it is acknowledged; on macOS only a full one reaches the disk.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    // The automatic checkpoint swallows its errors, and would retry a failed sync: `checkpoint` does it instead.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    // What is deleted is overwritten.
    connection.pragma_update(None, "secure_delete", true)?;
    common(&connection)?;
    migrations::migrate(&mut connection)?;
    structure::check(&connection)?;
    Ok(connection)
}

/// Opens one more connection, for reading only.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | flags())?;
    prepared(&connection)?;
    Ok(connection)
}

/// Sets a connection to reading only.
pub(super) fn prepared(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "query_only", true)?;
    common(connection)
}

/// A path is a path, whatever it begins with: no URIs. Each connection is used by one thread at a time.
const fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn common(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(())
}

fn check_version(number: i32, text: &str) -> Result<(), StoreError> {
    if number > LAST_UNSAFE { Ok(()) } else { Err(StoreError::UnsafeSqlite { version: text.to_owned() }) }
}

/// Makes sure that the file is there and is the owner's alone, before anything is written into it. One that is gone is
/// not made anew where it had taken events.
fn create(path: &Path) -> Result<(), StoreError> {
    let is_empty = fs::metadata(path).map_or(true, |file| file.len() == 0);
    if is_empty {
        anchor::check(path, Position(0))?;
    }
    let failed = |error: std::io::Error| StoreError::io(path, &error);
    let mut options = OpenOptions::new();
    match options.read(true).write(true).create_new(true).mode(MODE).open(path) {
        Ok(_) => {
            crash::at(Place::DatabaseCreated);
            sync_folder(path)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let file = fs::metadata(path).map_err(failed)?;
            if !file.is_file() {
                return Err(StoreError::Corrupt { what: format!("{} is no file", path.display()) });
            }
            let mode = file.permissions().mode() & 0o777;
            // Never widened: one that was made read-only is meant to be.
            if mode & MODE == mode {
                return Ok(());
            }
            fs::set_permissions(path, Permissions::from_mode(mode & MODE)).map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

/// The name of a new file is durable only when its folder is.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| StoreError::io(folder, &error))
}

/// Looks at format, end and structure by a connection that can write nothing, not even on closing: what is not sound is
/// left as it is.
fn look(path: &Path) -> Result<(), StoreError> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | flags())?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    match migrations::format(&connection)? {
        0 => {
            anchor::check(path, Position(0))?;
            structure::check_empty(&connection)
        }
        format => {
            anchor::check(path, newest(&connection)?)?;
            // An older one is looked at once it is raised.
            if format == migrations::known() { structure::check(&connection) } else { Ok(()) }
        }
    }
}

/// The position of the last event.
pub(super) fn newest(connection: &Connection) -> Result<Position, StoreError> {
    let newest: i64 = connection.query_row("SELECT coalesce(max(position), 0) FROM events", [], |row| row.get(0))?;
    u64::try_from(newest)
        .map(Position)
        .map_err(|_| StoreError::Corrupt { what: format!("its newest position is {newest}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_that_can_corrupt_on_a_wal_reset_is_refused() {
        let refused = Err(StoreError::UnsafeSqlite { version: "3.51.2".to_owned() });
        assert_eq!(check_version(3_051_002, "3.51.2"), refused);
        assert_eq!(check_version(3_051_003, "3.51.3"), Ok(()));
    }

    #[test]
    fn the_linked_sqlite_is_safe() {
        assert_eq!(check_version(rusqlite::version_number(), rusqlite::version()), Ok(()));
    }
}
