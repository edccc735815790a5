//! The new database: made in a folder of its own beside the target, read back, and only then given its name.

use super::super::chain::START;
use super::super::error::StoreError;
use super::super::head::{self, Head};
use super::super::{open, replay};
use super::harvest::{Candidate, again};
use super::image::Image;
use super::record::{Row, row, values};
use goald_schema::event::EventRecord;
use goald_schema::id::SessionId;
use goald_schema::number::{Position, Seq};
use rusqlite::{Connection, params};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A database that has no name yet; dropped, it leaves nothing.
pub(super) struct Rebuild {
    connection: Connection,
    folder: PathBuf,
    target: PathBuf,
}

impl Drop for Rebuild {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Rebuild {
    /// Begins one. Nothing may stand at the target or beside it.
    pub fn begin(target: &Path) -> Result<Self, StoreError> {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let mut name = target.as_os_str().to_owned();
            name.push(suffix);
            absent(Path::new(&name))?;
        }
        absent(&super::super::anchor::path(target))?;
        let folder = above(target).join(format!(".recovery-{}", crate::fresh::uuid().simple()));
        crate::private_file::folder(&folder).map_err(|error| StoreError::io(&folder, &error))?;
        let connection = match open::writer(&folder.join("goald.db")) {
            Ok(connection) => connection,
            Err(error) => {
                let _ = fs::remove_dir_all(&folder);
                return Err(error);
            }
        };
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self { connection, folder, target: target.to_owned() })
    }

    /// Takes over one proven row as it is, position and all, and hands its event over.
    pub fn event(&self, images: &[Image], candidate: Candidate) -> Result<EventRecord, StoreError> {
        let gone = || StoreError::Corrupt { what: "the damaged database changed while it was read".to_owned() };
        let (rowid, record) = again(images, candidate.location).ok_or_else(gone)?;
        let values = values(&record).ok_or_else(gone)?;
        let Some(Row::Event(stored)) = row(rowid, &values) else { return Err(gone()) };
        let link = stored.link;
        self.connection
            .prepare_cached(
                "INSERT INTO events (position, id, session, seq, at, actor, via, type, version, data, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                rowid,
                link.id,
                link.session,
                link.seq,
                link.at,
                link.actor,
                link.via,
                link.kind,
                link.version,
                link.data,
                stored.hash
            ])?;
        let event = stored.decode().map_err(|what| StoreError::Corrupt { what })?;
        let mut head =
            head::read(&self.connection, event.session)?.unwrap_or(Head { seq: 0, hash: START, open_attempt: None });
        head.seq = link.seq;
        head.hash = stored.hash;
        head.note(&event.event);
        head::write(&self.connection, event.session, &head)?;
        Ok(event)
    }

    /// Stores a text whose bytes were compared with its name.
    pub fn blob(&self, blob: &super::super::Blob) -> Result<(), StoreError> {
        super::super::blob::insert(&self.connection, blob)
    }

    /// Reads everything back, and gives the file its name. Positions up to `known` are not given out again.
    pub fn finish(self, sessions: &[SessionId], known: Position) -> Result<(), StoreError> {
        // A number that no log reaches is none.
        if let Some(known) = i64::try_from(known.get()).ok().filter(|known| *known < i64::MAX / 2) {
            let raised = self
                .connection
                .execute("UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'events'", [known])?;
            if raised == 0 && known > 0 {
                self.connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?1)", [known])?;
            }
        }
        self.connection.execute_batch("COMMIT")?;
        for session in sessions {
            replay::read(&self.connection, *session, Seq(0), &mut |_| Ok(()))?;
        }
        // Everything in one file: what stands beside it would not get the new name.
        let mode: String = self.connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))?;
        if mode != "delete" {
            return Err(StoreError::Sqlite { code: 0, message: format!("the journal mode stays {mode}, not delete") });
        }
        let file = self.folder.join("goald.db");
        File::open(&file).and_then(|opened| opened.sync_all()).map_err(|error| StoreError::io(&file, &error))?;
        // A second name is refused where there is one already; a renaming would replace it.
        fs::hard_link(&file, &self.target).map_err(|error| StoreError::io(&self.target, &error))?;
        let above = above(&self.target);
        File::open(above).and_then(|folder| folder.sync_all()).map_err(|error| StoreError::io(above, &error))
    }
}

fn above(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn absent(path: &Path) -> Result<(), StoreError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io(path, &error)),
        Ok(_) => Err(StoreError::Io {
            path: path.display().to_string(),
            message: "something is there already, and a recovery replaces nothing".to_owned(),
        }),
    }
}
