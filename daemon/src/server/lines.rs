//! Lines in: bounded in length, in time, and, over all connections, in how many large ones are held at once.

use goald_schema::protocol::MAX_FRAME_BYTES;
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// How long a client may take to greet, or to end a line that it has begun.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// So many large lines are held at once, over all connections. Whoever has another one waits.
pub const LARGE_LINES: usize = 8;
/// A line longer than this is large, in bytes.
const SMALL: usize = 16 * 1024;
/// At most this much is read at once, in bytes.
const CHUNK: u64 = 8 * 1024;

/// From when on a client's time to end its line runs.
#[derive(Clone, Copy, Debug)]
pub enum From {
    /// From now: it has just connected.
    Now,
    /// From the first byte: a greeted client may be silent for as long as it likes.
    FirstByte,
}

/// A line, with its share of what may be held of large ones.
#[derive(Debug)]
pub struct Line {
    /// Without its newline.
    pub text: String,
    _large: Option<OwnedSemaphorePermit>,
}

/// The reading end of a connection.
#[derive(Debug)]
pub struct Lines {
    read: OwnedReadHalf,
    buffer: Vec<u8>,
    /// How much of the buffer is known to have no newline.
    searched: usize,
    large: Arc<Semaphore>,
}

impl Lines {
    /// With the daemon's share of large lines.
    pub fn new(read: OwnedReadHalf, large: Arc<Semaphore>) -> Self {
        Self { read, buffer: Vec::new(), searched: 0, large }
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// `frame-too-long`, `bad-request`, `timed-out`: nothing after it can be read.
    pub async fn next(&mut self, from: From) -> Result<Option<Line>, WireError> {
        let begun = matches!(from, From::Now) || !self.buffer.is_empty();
        let mut deadline = begun.then(|| Instant::now() + PATIENCE);
        let mut large = None;
        loop {
            let new = self.buffer.iter().skip(self.searched).position(|byte| *byte == b'\n');
            if let Some(end) = new.map(|at| self.searched + at) {
                return if end > MAX_FRAME_BYTES { Err(too_long()) } else { self.cut(end, large).map(Some) };
            }
            self.searched = self.buffer.len();
            if self.searched > MAX_FRAME_BYTES {
                return Err(too_long());
            }
            if self.searched > SMALL && large.is_none() {
                // Its time does not run while it waits for others.
                large = Arc::clone(&self.large).acquire_owned().await.ok();
                deadline = Some(Instant::now() + PATIENCE);
            }
            let mut chunk = (&mut self.read).take(CHUNK);
            let reading = chunk.read_buf(&mut self.buffer);
            let read = match deadline {
                Some(deadline) => timeout_at(deadline, reading).await.map_err(|_| too_slow())?,
                None => reading.await,
            };
            match read {
                Ok(0) if self.buffer.is_empty() => return Ok(None),
                // What may be half a request is none.
                Ok(0) => return Err(bad("the last line has no end".to_owned())),
                Ok(_) => {}
                Err(error) => return Err(bad(format!("a line cannot be read: {error}"))),
            }
            deadline = deadline.or_else(|| Some(Instant::now() + PATIENCE));
        }
    }

    fn cut(&mut self, end: usize, large: Option<OwnedSemaphorePermit>) -> Result<Line, WireError> {
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        self.searched = 0;
        line.truncate(end);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        let text =
            String::from_utf8(line).map_err(|error| bad(format!("a line is no UTF-8: {}", error.utf8_error())))?;
        Ok(Line { text, _large: large })
    }
}

fn bad(message: String) -> WireError {
    WireError::new(ErrorCode::BadRequest, message)
        .hint("lines are UTF-8 and end with a newline; the connection is closed")
}

fn too_long() -> WireError {
    WireError::new(ErrorCode::FrameTooLong, format!("a line is longer than {MAX_FRAME_BYTES} bytes"))
        .hint("the connection is closed")
}

fn too_slow() -> WireError {
    let message = format!("a line did not end within {} s", PATIENCE.as_secs());
    WireError::new(ErrorCode::TimedOut, message).hint("greet at once, and end what you begin; the connection is closed")
}
