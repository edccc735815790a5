//! One durable commit of many appends, and what follows from a commit that failed.

use super::anchor::Anchor;
use super::append::{Append, AppendResult};
use super::chain::Chain;
use super::checkpoint;
use super::error::StoreError;
use super::health::Health;
use super::{insert, open};
use crate::crash::{self, Place};
use goald_schema::number::Position;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// What makes a transaction durable. A value, so that tests can let it fail.
pub(super) type Durable = fn(&Connection) -> rusqlite::Result<()>;

/// The commit that is meant.
pub(super) fn commit(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare_cached("COMMIT")?.execute([]).map(drop)
}

/// What the writer tells everyone.
#[derive(Debug)]
pub(super) struct Progress {
    /// The newest committed position.
    pub position: watch::Sender<Position>,
    /// How many commits there were since opening.
    pub commits: Arc<AtomicU64>,
    /// Where the log's end is noted.
    pub anchor: Anchor,
}

/// The writing connection and what it knows about itself.
#[derive(Debug)]
pub(super) struct Committer {
    connection: Connection,
    durable: Durable,
    progress: Progress,
    chain: Chain,
    /// A sync failed: what is on the disk is unknown, and must not be made to look known.
    broken: bool,
    health: Health,
}

impl Committer {
    /// Takes over the one writing connection.
    pub fn new(connection: Connection, durable: Durable, progress: Progress, health: Health) -> Self {
        Self { connection, durable, progress, chain: Chain::default(), broken: false, health }
    }

    /// Makes all appends durable in one commit. One answer for each, in their order: if the commit fails, its error.
    pub fn commit(&mut self, appends: Vec<Append>) -> Vec<AppendResult> {
        let count = appends.len();
        let results = self.writable().and_then(|()| self.transaction(appends));
        match results {
            Ok(results) => {
                self.announce(&results);
                results
            }
            Err(error) => {
                self.broken |= error == StoreError::SyncFailed;
                self.health.note(&error);
                vec![Err(error); count]
            }
        }
    }

    /// Makes one piece of work durable in a commit of its own.
    pub fn alone<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let result = self.writable().and_then(|()| self.one(work));
        result.inspect_err(|error| {
            self.broken |= *error == StoreError::SyncFailed;
            self.health.note(error);
        })
    }

    fn one<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.execute("BEGIN IMMEDIATE")?;
        let result = self.ends_where_it_did().and_then(|()| work(&self.connection)).and_then(|made| {
            (self.durable)(&self.connection).map_err(StoreError::from)?;
            Ok(made)
        });
        result.map_err(|error| match error {
            error if error.is_failed_sync() => self.roll_back(StoreError::SyncFailed),
            error => self.roll_back(error),
        })
    }

    /// Lets work that makes its own commits have the connection.
    pub fn outside(&mut self, work: impl FnOnce(&Connection) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let result = self.writable().and_then(|()| work(&self.connection));
        result.map_err(|error| {
            self.health.note(&error);
            if error.is_failed_sync() {
                tracing::error!(%error, "cleaning the log failed");
                self.broken = true;
                return StoreError::SyncFailed;
            }
            error
        })
    }

    /// Whether anything may be written at all.
    fn writable(&self) -> Result<(), StoreError> {
        if self.broken {
            return Err(StoreError::SyncFailed);
        }
        self.health.check()
    }

    /// Moves committed pages into the database, if it is time.
    pub fn checkpoint(&mut self) {
        if !self.broken && self.health.damage().is_none() {
            self.broken = checkpoint::if_due(&self.connection).is_err();
        }
    }

    /// One transaction with everything that can be appended.
    ///
    /// # Errors
    /// What keeps all of the appends from being made.
    fn transaction(&mut self, appends: Vec<Append>) -> Result<Vec<AppendResult>, StoreError> {
        crash::before_commit(appends.iter().flat_map(|append| append.events.iter().map(|data| &data.event)));
        self.execute("BEGIN IMMEDIATE")?;
        crash::at(Place::StoreBegun);
        self.ends_where_it_did().map_err(|error| self.roll_back(error))?;
        let mut results = Vec::with_capacity(appends.len());
        for append in appends {
            match self.savepoint(append) {
                Ok(result) => results.push(result),
                Err(error) => return Err(self.roll_back(error)),
            }
        }
        crash::at(Place::RowsInserted);
        match (self.durable)(&self.connection) {
            Ok(()) => {
                crash::at(Place::CommittedUnanswered);
                Ok(results)
            }
            Err(error) => {
                let error = StoreError::from(error);
                if error.is_failed_sync() {
                    tracing::error!(%error, "a commit to the log failed");
                    return Err(self.roll_back(StoreError::SyncFailed));
                }
                Err(self.roll_back(error))
            }
        }
    }

    /// Looks whether what was committed is still the end: an older copy that was written over the file, under its name and
    /// while it was open, is told by nothing else.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`].
    fn ends_where_it_did(&self) -> Result<(), StoreError> {
        let (known, found) = (*self.progress.position.borrow(), open::newest(&self.connection)?);
        if found == known {
            return Ok(());
        }
        let what = format!("the log ended at position {known} and now ends at {found}: its file was written over");
        Err(StoreError::Corrupt { what })
    }

    /// One append, alone in its fate: what is refused leaves nothing behind and harms no other.
    ///
    /// # Errors
    /// Those that do not concern this append only.
    fn savepoint(&mut self, append: Append) -> Result<AppendResult, StoreError> {
        self.execute("SAVEPOINT one")?;
        let result = insert::append(&self.connection, &mut self.chain, append);
        match &result {
            Ok(_) => {}
            Err(
                StoreError::Conflict { .. }
                | StoreError::Reused { .. }
                | StoreError::Encode { .. }
                | StoreError::Damaged { .. },
            ) => self.execute("ROLLBACK TO one")?,
            Err(error) => return Err(error.clone()),
        }
        self.execute("RELEASE one")?;
        Ok(result)
    }

    /// Undoes the transaction, unless `SQLite` has done so. If not even that works, nobody knows what is stored.
    fn roll_back(&self, error: StoreError) -> StoreError {
        if self.connection.is_autocommit() {
            return error;
        }
        match self.execute("ROLLBACK") {
            Ok(()) => error,
            Err(second) => {
                tracing::error!(%error, %second, "a transaction could not be undone");
                StoreError::SyncFailed
            }
        }
    }

    fn announce(&mut self, results: &[AppendResult]) {
        let made = || results.iter().filter_map(|result| result.as_ref().ok());
        if made().next().is_some() {
            self.progress.commits.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(newest) = made().flatten().map(|record| record.position).max() {
            self.progress.anchor.note(newest);
            self.progress.position.send_if_modified(|position| {
                let newer = newest > *position;
                *position = newest.max(*position);
                newer
            });
        }
    }

    fn execute(&self, statement: &str) -> Result<(), StoreError> {
        self.connection.prepare_cached(statement)?.execute([])?;
        Ok(())
    }

    /// Leaves a database without a log beside it; after a failed sync, or if it is damaged, leaves everything as it is.
    pub fn close(mut self) {
        self.broken |= self.health.damage().is_some();
        if !self.broken {
            self.broken = checkpoint::last(&self.connection).is_err();
        }
        if self.broken
            && let Err(error) = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        {
            tracing::error!(%error, "the log may be written once more on closing");
        }
        if let Err((_, error)) = self.connection.close() {
            tracing::warn!(%error, "closing the log failed");
        }
        crash::at(Place::LogClosed);
    }
}
