//! Identifiers. Each kind has a type of its own, so one can never be handed over for another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(#[schemars(with = "String")] Uuid);

        impl $name {
            /// Wraps a UUID made elsewhere: this crate has neither a clock nor dice.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID inside.
            pub const fn as_uuid(&self) -> Uuid {
                self.0
            }

            /// The last eight hexadecimal digits: random in a version 7 UUID, so short forms rarely collide.
            pub fn short(&self) -> String {
                let text = self.0.simple().to_string();
                text[text.len() - 8..].to_owned()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// One durable conversation of one agent in one workspace.
    SessionId
);
uuid_id!(
    /// A goal. Never used again, not even after `clear`.
    GoalId
);
uuid_id!(
    /// One run of the agent, for a round or for messages.
    AttemptId
);
uuid_id!(
    /// A human's message to the agent.
    MessageId
);
uuid_id!(
    /// One event of the log. A repeated append is recognised by it.
    EventId
);
uuid_id!(
    /// A durable reason not to start the next round yet.
    HoldId
);
uuid_id!(
    /// A question to the human.
    QuestionId
);

/// The name of a blob: the BLAKE3 hash of its bytes, 64 lower-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct BlobHash(String);

/// A text that is no blob hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a blob hash is 64 lower-case hexadecimal digits, not {0:?}")]
pub struct BadBlobHash(String);

impl BlobHash {
    /// From the 32 bytes of a BLAKE3 hash.
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        use fmt::Write as _;
        let mut text = String::with_capacity(64);
        for byte in bytes {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    /// The 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for BlobHash {
    type Error = BadBlobHash;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if text.len() == 64 && text.bytes().all(digits) { Ok(Self(text)) } else { Err(BadBlobHash(text)) }
    }
}

impl From<BlobHash> for String {
    fn from(hash: BlobHash) -> Self {
        hash.0
    }
}

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
