//! What the body of a key is made of.

/// A set of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body {
    /// `0-9 a-f`
    Hex,
    /// `A-Z 0-9`
    Upper,
    /// `A-Z a-z 0-9`
    Alphanumeric,
    /// These and `_ -`
    Url,
    /// These and `.`
    Dotted,
    /// These and `~ + / =`
    Token,
}

impl Body {
    /// Whether the byte belongs to it.
    pub const fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => Self::Url.has(byte) || byte == b'.',
            Self::Token => Self::Dotted.has(byte) || matches!(byte, b'~' | b'+' | b'/' | b'='),
        }
    }

    /// How many bytes at the start belong to it.
    pub fn run(self, bytes: &[u8]) -> usize {
        bytes.iter().position(|byte| !self.has(*byte)).unwrap_or(bytes.len())
    }
}
