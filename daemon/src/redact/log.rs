//! The daemon's own log, without keys.

use std::io::{self, Write};

/// Writes a line of the log at a time, redacted.
#[derive(Debug)]
pub struct RedactedLog<W>(pub W);

impl<W: Write> Write for RedactedLog<W> {
    /// Takes the whole of `line`: the subscriber hands over an event at a time.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write_all(&super::bytes(line))?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
