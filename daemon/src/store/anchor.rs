//! Where the log ended when it was last acknowledged, kept beside the database.
//!
//! A write-ahead log that was cut, or a database that was replaced by an older copy, looks whole to `SQLite`: the head rows
//! went with the events. So the newest position stands in a file of its own, written after each durable commit and never
//! before it. It can be behind (it is not synchronised), which says nothing; if it is ahead, acknowledged events are gone.

use super::error::StoreError;
use crate::private_file;
use goald_schema::number::Position;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// A number of this many digits and a line end: always the same length, so that it is overwritten in one piece.
const DIGITS: usize = 20;

/// The file of a database.
pub(super) fn path(database: &Path) -> PathBuf {
    database.with_extension("end")
}

/// What it says; `None` where there is none, or where a power cut left no number in it.
///
/// # Errors
/// [`StoreError::Io`] where it cannot be read.
pub(super) fn read(database: &Path) -> Result<Option<Position>, StoreError> {
    let path = path(database);
    match std::fs::read(&path) {
        Ok(bytes) => Ok(parse(&bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(&path, &error)),
    }
}

fn parse(bytes: &[u8]) -> Option<Position> {
    let digits = bytes.strip_suffix(b"\n").filter(|digits| digits.len() == DIGITS)?;
    std::str::from_utf8(digits).ok()?.parse().ok().map(Position)
}

/// Compares it with where the log ends.
///
/// # Errors
/// [`StoreError::Corrupt`] where acknowledged events are gone.
pub(super) fn check(database: &Path, newest: Position) -> Result<(), StoreError> {
    match read(database)? {
        Some(acknowledged) if acknowledged > newest => Err(StoreError::Corrupt {
            what: format!(
                "events up to position {acknowledged} were acknowledged, but the log ends at {newest}: its end was cut off, \
                 or an older copy stands in its place"
            ),
        }),
        Some(_) | None => Ok(()),
    }
}

/// The file, open for writing. Evidence: if it cannot be written the log goes on, and the loss is said once.
#[derive(Debug)]
pub(super) struct Anchor {
    file: Option<File>,
}

impl Anchor {
    /// Opens or creates it, mode 0600; one that is there is narrowed to that.
    pub fn open(database: &Path) -> Self {
        let path = path(database);
        let file = private_file::lockable(&path);
        Self {
            file: file
                .inspect_err(|error| tracing::warn!(path = %path.display(), %error, "the log's end is not noted"))
                .ok(),
        }
    }

    /// Notes that everything up to this position is durable.
    pub fn note(&mut self, newest: Position) {
        let Some(file) = &self.file else { return };
        if let Err(error) = file.write_all_at(format!("{newest:0DIGITS$}\n").as_bytes(), 0) {
            tracing::warn!(%error, "the log's end is not noted any more");
            self.file = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_read_back_and_is_as_long_for_any_number() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("goald.db");
        assert_eq!(read(&database), Ok(None));
        let mut anchor = Anchor::open(&database);
        assert_eq!(read(&database), Ok(None), "nothing was noted yet");
        for position in [u64::MAX, 7] {
            anchor.note(Position(position));
            assert_eq!(read(&database), Ok(Some(Position(position))));
        }
        assert!(check(&database, Position(7)).is_ok() && check(&database, Position(8)).is_ok());
        assert!(matches!(check(&database, Position(6)), Err(StoreError::Corrupt { .. })));
    }

    #[test]
    fn what_a_power_cut_left_says_nothing() {
        for bytes in [&b""[..], &[0; DIGITS + 1], b"12\n", b"00000000000000000012"] {
            assert_eq!(parse(bytes), None);
        }
    }
}
