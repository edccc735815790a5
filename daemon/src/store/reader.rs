//! Connections for reading: as many as read at once, beside the writer and never in its way.

use super::error::StoreError;
use super::health::Health;
use super::open;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Idle connections that are kept; more are opened when needed and closed afterwards.
const KEPT: usize = 4;

/// A pool of read-only connections.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    health: Health,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// An empty pool for a database that exists.
    pub fn new(path: PathBuf, health: Health) -> Self {
        Self { path, health, idle: Mutex::new(Vec::new()) }
    }

    /// Lets `work` read one snapshot of the database.
    ///
    /// # Errors
    /// Those of `work`, and of opening a connection. A connection that erred is closed, not used again. Where the database
    /// is damaged, whatever `SQLite` says of it (a table that is not there, a file that cannot be opened) follows from that.
    pub fn snapshot<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.read(work).map_err(|error| {
            self.health.note(&error);
            match (error, self.health.damage()) {
                (StoreError::Sqlite { .. }, Some(damage)) => damage.clone(),
                (error, _) => error,
            }
        })
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let pooled = self.idle().pop();
        let connection = if let Some(connection) = pooled {
            connection
        } else {
            self.health.check_file()?;
            open::reader(&self.path)?
        };
        let transaction = connection.unchecked_transaction()?;
        let result = work(&transaction)?;
        transaction.finish()?;
        let mut idle = self.idle();
        if idle.len() < KEPT {
            idle.push(connection);
        }
        Ok(result)
    }

    /// The list is whole at any time, whoever panicked while holding it.
    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
