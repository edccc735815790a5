//! Whether the database has the tables, indexes and triggers that goald made, and the file at its path is the one that is
//! open: what no checksum of a session reveals.

use super::error::StoreError;
use super::migrations;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Compares the schema with that of a new database.
///
/// # Errors
/// [`StoreError::Corrupt`], with what is missing, changed or foreign.
pub(super) fn check(connection: &Connection) -> Result<(), StoreError> {
    let mut fresh = Connection::open_in_memory()?;
    migrations::migrate(&mut fresh)?;
    let (wanted, found) = (schema(&fresh)?, schema(connection)?);
    let differs = |name: &&String| wanted.get(*name) != found.get(*name);
    match wanted.keys().chain(found.keys()).find(differs) {
        None => Ok(()),
        Some(name) => {
            let how = match (wanted.contains_key(name), found.contains_key(name)) {
                (true, false) => "is missing",
                (false, true) => "is not goald's",
                (true, true) | (false, false) => "was changed",
            };
            Err(StoreError::Corrupt { what: format!("{name} {how} in its structure") })
        }
    }
}

/// Looks whether there is nothing in it at all: only such a database is made goald's.
///
/// # Errors
/// [`StoreError::Corrupt`], with what there is.
pub(super) fn check_empty(connection: &Connection) -> Result<(), StoreError> {
    match schema(connection)?.into_keys().next() {
        None => Ok(()),
        Some(name) => {
            Err(StoreError::Corrupt { what: format!("{name} is not goald's, and the format says it is new") })
        }
    }
}

/// Everything that has a name, by it; tables of statistics that `SQLite` keeps for itself aside.
fn schema(connection: &Connection) -> Result<BTreeMap<String, Option<String>>, StoreError> {
    let mut statement =
        connection.prepare("SELECT type || ' ' || name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A file as the system knows it, whatever its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FileIdentity {
    path: PathBuf,
    file: Option<(u64, u64)>,
}

impl FileIdentity {
    /// The file that has this name now.
    pub fn of(path: &Path) -> Self {
        // Whatever else has that name is never opened: a pipe would hold up whoever does.
        let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
        let file = file.map(|file| (file.dev(), file.ino()));
        Self { path: path.to_owned(), file }
    }

    /// Whether the name still leads to it: what is written into a file without a name is lost with the last who has it open.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`].
    pub fn check(&self) -> Result<(), StoreError> {
        let path = self.path.display();
        let what = match self.file {
            Some(_) if Self::of(&self.path) == *self => return Ok(()),
            Some(_) => format!("{path} was removed or replaced while the daemon used it"),
            None => format!("{path} is not there, or is no file"),
        };
        Err(StoreError::Corrupt { what })
    }
}
