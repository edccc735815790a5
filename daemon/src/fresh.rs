//! Fresh ids and tokens: the shell's dice.

use goald_schema::id::{EventId, SessionId};
use uuid::Uuid;

/// A new time-ordered id of any kind.
pub fn uuid() -> Uuid {
    Uuid::now_v7()
}

/// A token that cannot be guessed: 244 random bits in hexadecimal, behind a prefix by which it is known for what it is
/// wherever it is printed (`crate::redact`).
pub fn token() -> String {
    format!("goald_{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

/// A random number, for jitter.
pub fn dice() -> u64 {
    Uuid::new_v4().as_u64_pair().1
}

/// The id of the first event of a request with an idempotency key: the same request finds its own event again.
pub fn keyed(session: SessionId, key: &str) -> EventId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(session.as_uuid().as_bytes());
    hasher.update(key.as_bytes());
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    EventId::from_uuid(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_the_same_event_in_the_same_session_only() {
        let (a, b) = (SessionId::from_uuid(uuid()), SessionId::from_uuid(uuid()));
        assert_eq!(keyed(a, "k"), keyed(a, "k"));
        assert_ne!(keyed(a, "k"), keyed(b, "k"));
        assert_ne!(keyed(a, "k"), keyed(a, "l"));
    }

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let (a, b) = (token(), token());
        assert_eq!(a.len(), 6 + 64);
        assert_ne!(a, b);
        assert_eq!(crate::redact::text(&format!("it is {a}.")), "it is [redacted: goald-token].");
    }
}
