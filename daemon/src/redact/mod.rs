//! Known shapes of keys never reach what is kept: output files, final texts, tails of checks, reports, stored prompts,
//! the daemon's own log. In their place stands `[redacted: KIND]`.
//!
//! A guard-rail, not a wall: a secret without a known shape, or one that is printed in another coding, stays. What a
//! person wrote (objective, message, check) is kept as given, and answered with a warning. Pure: no I/O.

mod assignment;
mod body;
mod log;
mod pem;
mod shape;
mod stream;
#[cfg(test)]
mod tests;
mod warn;

pub use log::RedactedLog;
pub use stream::Redactor;
pub use warn::warnings;

/// The bytes without known keys.
pub fn bytes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut redactor = Redactor::default();
    redactor.push(text, &mut out);
    redactor.finish(&mut out);
    out
}

/// The text without known keys.
pub fn text(text: &str) -> String {
    // A key is made of ASCII, so what is left of UTF-8 is UTF-8.
    String::from_utf8_lossy(&bytes(text.as_bytes())).into_owned()
}

/// Whether there is one in the text.
pub fn is_in(text: &str) -> bool {
    self::text(text) != text
}
