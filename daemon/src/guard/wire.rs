//! What daemon and guard say to each other: frames of a length (4 bytes, little endian) and JSON. The program's standard
//! input follows the `launch` frame as a frame of raw bytes, so that it is not blown up by JSON.

use super::launch::LadderTimes;
use super::status::Ended;
use goald_schema::event::{Delivered, GuardProcess};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Raised with every change of these messages.
pub const VERSION: u32 = 1;

/// The longest frame, in bytes. Both ends are ours; this keeps a broken one from asking for all memory.
const LONGEST: usize = 256 << 20;

/// Daemon to guard.
#[derive(Serialize, Deserialize)]
pub enum ToGuard {
    /// First, once: what to start when the gate opens. The next frame is its standard input.
    Launch {
        version: u32,
        program: PathBuf,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: PathBuf,
        ladder: LadderTimes,
    },
    /// The gate: start it now.
    Open,
    /// Hand over no further byte of the standard input, take back what was not read, then say so.
    Fence,
    /// Climb the ladder: interrupt, terminate, kill.
    Cancel,
    /// Kill the tree at once.
    Kill,
}

/// Guard to daemon.
#[derive(Serialize, Deserialize)]
pub enum FromGuard {
    /// It holds the launch, and waits at the gate.
    Ready { version: u32, process: GuardProcess },
    /// The answer to each `Fence`.
    Fenced { delivered: Delivered },
    /// Nothing is left; the guard exits.
    Ended(Ended),
}

/// A frame of bytes.
pub fn frame(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(bytes.len()).ok().filter(|_| bytes.len() <= LONGEST);
    let length = length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "too long for one frame"))?;
    let mut framed = Vec::with_capacity(bytes.len() + 4);
    framed.extend_from_slice(&length.to_le_bytes());
    framed.extend_from_slice(bytes);
    Ok(framed)
}

/// A message as a frame.
pub fn message(message: &impl Serialize) -> io::Result<Vec<u8>> {
    frame(&serde_json::to_vec(message)?)
}

/// Cuts what arrives into frames.
#[derive(Default)]
pub struct Frames {
    buffer: Vec<u8>,
}

/// What is being received may hold secrets.
impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames").finish_non_exhaustive()
    }
}

impl Frames {
    /// Takes what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame; `None` until more was read.
    pub fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some((head, rest)) = self.buffer.split_first_chunk::<4>() else { return Ok(None) };
        let length = usize::try_from(u32::from_le_bytes(*head)).map_err(io::Error::other)?;
        if length > LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame longer than any may be"));
        }
        let Some(bytes) = rest.get(..length).map(<[u8]>::to_vec) else { return Ok(None) };
        self.buffer.drain(..length + 4);
        Ok(Some(bytes))
    }

    /// The next whole message.
    pub fn next_message<M: DeserializeOwned>(&mut self) -> io::Result<Option<M>> {
        Ok(self.next()?.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_out_whole_however_they_are_cut() {
        let mut bytes = message(&ToGuard::Open).expect("fits");
        bytes.extend(frame(b"\0raw\xff").expect("fits"));
        let mut frames = Frames::default();
        let mut seen = Vec::new();
        for byte in bytes {
            frames.push(&[byte]);
            seen.extend(frames.next().expect("sound"));
        }
        assert_eq!(seen, [b"\"Open\"".to_vec(), b"\0raw\xff".to_vec()]);
    }

    #[test]
    fn an_absurd_length_is_an_error_and_not_an_allocation() {
        let mut frames = Frames::default();
        frames.push(&u32::MAX.to_le_bytes());
        assert!(frames.next().is_err());
    }
}
