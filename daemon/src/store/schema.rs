//! The database's versions, on `user_version`. A newer database is refused untouched.

use super::StoreError;
use rusqlite::{Connection, TransactionBehavior};

/// One entry a version: what leads to it from the one before.
const MIGRATIONS: &[&str] = &[include_str!("schema.sql")];

/// The version that this goald writes.
fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Refuses a database of a newer goald, before anything is changed in it.
///
/// # Errors
/// [`StoreError::Newer`].
pub fn refuse_newer(connection: &Connection) -> Result<i64, StoreError> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > newest() { Err(StoreError::Newer { found, known: newest() }) } else { Ok(found) }
}

/// Brings a database to the newest version, in one transaction.
///
/// # Errors
/// [`StoreError`]; the database is then as it was.
pub fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = refuse_newer(&transaction)?;
    let done = usize::try_from(found).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    if done < MIGRATIONS.len() {
        transaction.pragma_update(None, "user_version", newest())?;
    }
    transaction.commit()?;
    Ok(())
}
