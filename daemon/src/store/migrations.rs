//! The format of the database, and how an older one is raised to it.
//!
//! `PRAGMA user_version` counts the steps that were taken. A step is never changed once it is released.

use super::error::StoreError;
use crate::crash::{self, Place};
use rusqlite::{Connection, TransactionBehavior};

/// Each step raises the format by one.
const STEPS: &[&str] = &[include_str!("migrations/0001_log.sql")];

/// The newest format that this goald knows.
pub(super) const fn known() -> usize {
    STEPS.len()
}

/// The format of a database, 0 for an empty one.
///
/// # Errors
/// [`StoreError::Newer`] if this goald does not know it; [`StoreError::Corrupt`] if it is no format at all.
pub(super) fn format(connection: &Connection) -> Result<usize, StoreError> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let format = usize::try_from(found).map_err(|_| StoreError::Corrupt { what: format!("its format is {found}") })?;
    if format > known() {
        return Err(StoreError::Newer { found, known: number(known()) });
    }
    Ok(format)
}

pub(super) fn number(format: usize) -> i64 {
    i64::try_from(format).unwrap_or(i64::MAX)
}

/// Takes the steps that are missing, all of them or none.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let missing = STEPS.get(format(&transaction)?..).unwrap_or_default();
    if missing.is_empty() {
        return Ok(());
    }
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", number(known()))?;
    crash::at(Place::MigrationTaken);
    transaction.commit()?;
    crash::at(Place::MigrationCommitted);
    Ok(())
}
