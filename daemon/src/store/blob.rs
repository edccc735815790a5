//! Texts that are kept beside the events, named by their hash.

use goald_schema::id::BlobHash;

/// A text with its name.
#[derive(Clone, PartialEq, Eq)]
pub struct Blob {
    /// BLAKE3 of the bytes.
    pub hash: BlobHash,
    /// The text.
    pub bytes: Vec<u8>,
}

impl Blob {
    /// Names a text.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { hash: BlobHash::from_bytes(blake3::hash(&bytes).as_bytes()), bytes }
    }
}

impl std::fmt::Debug for Blob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blob({}, {} bytes)", self.hash, self.bytes.len())
    }
}
