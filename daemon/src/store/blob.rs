//! Blobs: large or private texts, named by the hash of their bytes.

use super::error::StoreError;
use goald_schema::id::BlobHash;
use rusqlite::{Connection, OptionalExtension as _, params};

/// A text to be stored with the events that name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blob {
    /// Its name.
    pub hash: BlobHash,
    /// The text.
    pub bytes: Vec<u8>,
}

impl Blob {
    /// Names `bytes` by their BLAKE3 hash.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { hash: name(&bytes), bytes }
    }
}

/// The hash that names bytes.
pub(super) fn name(bytes: &[u8]) -> BlobHash {
    BlobHash::from_bytes(blake3::hash(bytes).as_bytes())
}

/// Stores a blob unless it is there already.
pub(super) fn insert(connection: &Connection, blob: &Blob) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO blobs (hash, bytes) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING")?
        .execute(params![blob.hash.as_str(), blob.bytes])?;
    Ok(())
}

/// How many bytes a blob has, if it is there.
pub(super) fn size(connection: &Connection, hash: &BlobHash) -> Result<Option<u64>, StoreError> {
    let size: Option<i64> = connection
        .prepare_cached("SELECT length(bytes) FROM blobs WHERE hash = ?1")?
        .query_row([hash.as_str()], |row| row.get(0))
        .optional()?;
    Ok(size.map(|size| u64::try_from(size).unwrap_or(0)))
}

/// Takes a blob away.
pub(super) fn delete(connection: &Connection, hash: &BlobHash) -> Result<(), StoreError> {
    connection.prepare_cached("DELETE FROM blobs WHERE hash = ?1")?.execute([hash.as_str()])?;
    Ok(())
}

/// Reads a blob, and checks that its bytes have its name. `None`: never stored, or purged.
pub(super) fn read(connection: &Connection, hash: &BlobHash) -> Result<Option<Vec<u8>>, StoreError> {
    let bytes: Option<Vec<u8>> = connection
        .prepare_cached("SELECT bytes FROM blobs WHERE hash = ?1")?
        .query_row([hash.as_str()], |row| row.get(0))
        .optional()?;
    match bytes {
        Some(bytes) if name(&bytes) != *hash => Err(StoreError::BlobDamaged { hash: hash.clone() }),
        bytes => Ok(bytes),
    }
}
