//! The guard's end of the socket.

use crate::guard::wire::{self, Frames, FromGuard, ToGuard};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// The socket to the daemon, and what was read of it.
pub struct Control {
    socket: UnixStream,
    frames: Frames,
}

impl Control {
    pub fn new(socket: OwnedFd) -> Self {
        Self { socket: UnixStream::from(socket), frames: Frames::default() }
    }

    /// Reads once. To be called when the socket is readable, or where waiting is right.
    ///
    /// # Errors
    /// End of file is an error too: the daemon is gone.
    pub fn read(&mut self) -> io::Result<()> {
        let mut bytes = [0; 16_384];
        match self.socket.read(&mut bytes) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.frames.push(&bytes[..count]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The next message that is here whole.
    pub fn next(&mut self) -> io::Result<Option<ToGuard>> {
        self.frames.next_message()
    }

    /// Waits for the next message.
    pub fn wait_message(&mut self) -> io::Result<ToGuard> {
        loop {
            if let Some(message) = self.next()? {
                return Ok(message);
            }
            self.read()?;
        }
    }

    /// Waits for the next frame of raw bytes.
    pub fn wait_bytes(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(bytes) = self.frames.next()? {
                return Ok(bytes);
            }
            self.read()?;
        }
    }

    /// Says something to the daemon, which always reads.
    pub fn say(&mut self, message: &FromGuard) -> io::Result<()> {
        self.socket.write_all(&wire::message(message)?)
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
