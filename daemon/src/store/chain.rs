//! The hash chain of a session: pure, no database.
//!
//! Each event's hash covers the hash before it and every stored column except the position (which a copy into another
//! database may change). An edited, removed, swapped or inserted row therefore breaks the chain at its place.

/// 32 bytes of BLAKE3.
pub type ChainHash = [u8; 32];

/// What the first event of a session is chained to.
pub const START: ChainHash = [0; 32];

/// The columns of a stored event that its hash covers, exactly as they are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link<'a> {
    /// 16 bytes.
    pub id: &'a [u8],
    /// 16 bytes.
    pub session: &'a [u8],
    /// 1, 2, …
    pub seq: i64,
    /// Milliseconds since the Unix epoch.
    pub at: i64,
    /// JSON.
    pub actor: &'a str,
    /// Its name.
    pub via: &'a str,
    /// The event's type.
    pub kind: &'a str,
    /// The version of the data.
    pub version: i64,
    /// JSON.
    pub data: &'a str,
}

/// Hashes links one after another; keeps its buffer, so that a long replay does not allocate.
#[derive(Default, Debug)]
pub struct Chain {
    buffer: Vec<u8>,
}

impl Chain {
    /// The hash of `link` behind an event whose hash is `previous`.
    pub fn hash(&mut self, previous: &ChainHash, link: &Link<'_>) -> ChainHash {
        self.buffer.clear();
        self.buffer.extend_from_slice(previous);
        self.field(link.id);
        self.field(link.session);
        self.field(&link.seq.to_le_bytes());
        self.field(&link.at.to_le_bytes());
        self.field(link.actor.as_bytes());
        self.field(link.via.as_bytes());
        self.field(link.kind.as_bytes());
        self.field(&link.version.to_le_bytes());
        self.field(link.data.as_bytes());
        *blake3::hash(&self.buffer).as_bytes()
    }

    /// The length goes first, so that no byte can move from one field to its neighbour unnoticed.
    fn field(&mut self, bytes: &[u8]) {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.buffer.extend_from_slice(&length.to_le_bytes());
        self.buffer.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link() -> Link<'static> {
        Link {
            id: &[1; 16],
            session: &[2; 16],
            seq: 3,
            at: 4,
            actor: "actor",
            via: "via",
            kind: "kind",
            version: 1,
            data: "data",
        }
    }

    fn hash(previous: &ChainHash, link: &Link<'_>) -> ChainHash {
        Chain::default().hash(previous, link)
    }

    #[test]
    fn a_change_of_any_column_or_of_the_hash_before_changes_the_hash() {
        let good = hash(&START, &link());
        let changed = [
            Link { id: &[9; 16], ..link() },
            Link { session: &[9; 16], ..link() },
            Link { seq: 9, ..link() },
            Link { at: 9, ..link() },
            Link { actor: "actoR", ..link() },
            Link { via: "viA", ..link() },
            Link { kind: "kinD", ..link() },
            Link { version: 9, ..link() },
            Link { data: "datA", ..link() },
        ];
        for link in changed {
            assert_ne!(hash(&START, &link), good, "{link:?}");
        }
        assert_ne!(hash(&[1; 32], &link()), good);
    }

    #[test]
    fn a_byte_moved_between_neighbouring_fields_changes_the_hash() {
        let moved = Link { actor: "actorv", via: "ia", ..link() };
        assert_ne!(hash(&START, &moved), hash(&START, &link()));
    }

    #[test]
    fn a_reused_buffer_gives_the_same_hash_as_a_new_one() {
        let mut chain = Chain::default();
        let _ = chain.hash(&START, &Link { data: "something much longer than the next one", ..link() });
        assert_eq!(chain.hash(&START, &link()), hash(&START, &link()));
    }

    /// Old logs must verify for ever: whoever changes this value makes every existing log unreadable.
    #[test]
    fn the_encoding_is_the_one_that_is_on_disk() {
        let hex = blake3::Hash::from_bytes(hash(&START, &link())).to_hex();
        assert_eq!(hex.as_str(), "d32b6836e2b8b34be2e5f9a0ef2cc99ceb5f40351ef7a3826437bf93426ae58d");
    }
}
