//! The hash chain: each event's hash covers the one before it in its session and its own stored columns, because an
//! edited row passes SQLite's own checks. The position is not covered: it belongs to the log as a whole.

/// A link's hash.
pub type Hash = [u8; 32];

/// What stands before a session's first event.
pub const START: Hash = [0; 32];

/// The stored columns of an event, as they are hashed.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// The event's id.
    pub id: &'a [u8],
    /// The session's id.
    pub session: &'a [u8],
    /// Its number there.
    pub seq: i64,
    /// Milliseconds.
    pub at: i64,
    /// JSON.
    pub actor: &'a str,
    /// The door.
    pub via: &'a str,
    /// The event's type.
    pub kind: &'a str,
    /// The version of that type.
    pub version: i64,
    /// JSON.
    pub data: &'a str,
}

/// The hash of an event after `before`. Every field is preceded by its length, so that nothing can be moved from one
/// into the next.
pub fn link(before: &Hash, columns: &Columns<'_>) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before);
    let numbers = [columns.seq.to_le_bytes(), columns.at.to_le_bytes(), columns.version.to_le_bytes()];
    let texts = [columns.actor, columns.via, columns.kind, columns.data].map(str::as_bytes);
    let fields = [columns.id, columns.session].into_iter().chain(numbers.iter().map(<[u8; 8]>::as_slice)).chain(texts);
    for field in fields {
        hasher.update(&u64::try_from(field.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(field);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Columns<'static> {
        Columns { id: b"i", session: b"s", seq: 1, at: 2, actor: "a", via: "v", kind: "k", version: 1, data: "d" }
    }

    #[test]
    fn a_change_of_any_column_or_of_what_stands_before_changes_the_hash() {
        let original = link(&START, &columns());
        let changed = [
            Columns { id: b"j", ..columns() },
            Columns { session: b"t", ..columns() },
            Columns { seq: 2, ..columns() },
            Columns { at: 3, ..columns() },
            Columns { actor: "b", ..columns() },
            Columns { via: "w", ..columns() },
            Columns { kind: "l", ..columns() },
            Columns { version: 2, ..columns() },
            Columns { data: "e", ..columns() },
        ];
        for columns in changed {
            assert_ne!(link(&START, &columns), original, "{columns:?}");
        }
        assert_ne!(link(&[1; 32], &columns()), original);
    }

    #[test]
    fn text_cannot_be_moved_from_one_column_into_the_next() {
        let one = link(&START, &Columns { actor: "ab", via: "c", ..columns() });
        let other = link(&START, &Columns { actor: "a", via: "bc", ..columns() });
        assert_ne!(one, other);
    }
}
