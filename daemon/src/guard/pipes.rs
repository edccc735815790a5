//! Reading what a tree prints, both streams at once.

use std::future::pending;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdout};

/// How much is read at once, in bytes.
const CHUNK: usize = 64 << 10;

/// Where something was printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// One stream and what was last read of it.
#[derive(Debug)]
struct Pipe<R> {
    reader: Option<R>,
    bytes: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    fn new(reader: R) -> Self {
        Self { reader: Some(reader), bytes: vec![0; CHUNK] }
    }

    /// How many bytes came; never again after the end of file. May be dropped and called again.
    async fn read(&mut self) -> usize {
        let Some(reader) = &mut self.reader else { return pending().await };
        let count = reader.read(&mut self.bytes).await.unwrap_or(0);
        if count == 0 {
            self.reader = None;
        }
        count
    }

    fn bytes(&self, count: usize) -> &[u8] {
        self.bytes.get(..count).unwrap_or_default()
    }
}

/// Both streams of a tree.
#[derive(Debug)]
pub struct Pipes {
    stdout: Pipe<ChildStdout>,
    stderr: Pipe<ChildStderr>,
}

impl Pipes {
    /// Over the two streams of a [`super::Running`].
    pub fn new(stdout: ChildStdout, stderr: ChildStderr) -> Self {
        Self { stdout: Pipe::new(stdout), stderr: Pipe::new(stderr) }
    }

    /// The next chunk of either; an empty one at a stream's end, then nothing more of it. Loses nothing when dropped.
    pub async fn read(&mut self) -> (Stream, &[u8]) {
        tokio::select! {
            count = self.stdout.read() => (Stream::Stdout, self.stdout.bytes(count)),
            count = self.stderr.read() => (Stream::Stderr, self.stderr.bytes(count)),
        }
    }

    /// Whether more can come.
    pub fn any_open(&self) -> bool {
        self.stdout.reader.is_some() || self.stderr.reader.is_some()
    }
}
