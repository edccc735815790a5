//! Handing the prompt to the agent's standard input, and taking back what was not read.
//!
//! The guard keeps a reading end of its own: at a fence it takes the rest out of the pipe itself, so that no byte of it
//! can be read any more. The price is that the pipe never breaks: an agent that does not read leaves the rest unwritten
//! until it ends.

use goald_schema::event::Delivered;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

/// A prompt on its way.
pub struct Prompt {
    bytes: Vec<u8>,
    written: usize,
    taken_back: usize,
    /// Gone when everything is written, or the prompt was fenced.
    writer: Option<PipeWriter>,
    own_reader: File,
}

impl Prompt {
    /// A pipe for the prompt. The reader becomes the agent's standard input.
    pub fn new(bytes: Vec<u8>) -> io::Result<(Self, PipeReader)> {
        let (reader, writer) = io::pipe()?;
        fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        // Opened anew, not duplicated: a duplicate would share "do not block" with the agent.
        let own_reader = OpenOptions::new()
            .read(true)
            .custom_flags(OFlag::O_NONBLOCK.bits())
            .open(format!("/proc/self/fd/{}", reader.as_raw_fd()))?;
        Ok((Self { bytes, written: 0, taken_back: 0, writer: Some(writer), own_reader }, reader))
    }

    /// What to wait for before [`Prompt::feed`]; `None` when there is nothing more to write.
    pub fn writer(&self) -> Option<BorrowedFd<'_>> {
        self.writer.as_ref().map(AsFd::as_fd)
    }

    /// Writes as much as the pipe takes; at the end closes it.
    pub fn feed(&mut self) {
        while let Some(writer) = &mut self.writer {
            let rest = self.bytes.get(self.written..).unwrap_or_default();
            if rest.is_empty() {
                self.writer = None;
                return;
            }
            match writer.write(rest) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // The reading end is ours, so the pipe cannot break; if it did, the rest would be undeliverable.
                Err(_) => self.writer = None,
            }
        }
    }

    /// Writes no more and takes back what was not read.
    pub fn fence(&mut self) -> Delivered {
        self.writer = None;
        let mut bytes = [0; 16_384];
        loop {
            match self.own_reader.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => self.taken_back += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let read_by_agent = self.written.saturating_sub(self.taken_back);
        if read_by_agent == self.bytes.len() {
            Delivered::Yes
        } else if read_by_agent == 0 {
            Delivered::No
        } else {
            Delivered::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unread_prompt_is_taken_back_whole() {
        let (mut prompt, mut reader) = Prompt::new(vec![b'x'; 300_000]).expect("pipe");
        prompt.feed();
        assert!(prompt.writer().is_some(), "more than a pipe holds");
        assert_eq!(prompt.fence(), Delivered::No);
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).expect("read");
        assert_eq!(rest, b"");
    }

    #[test]
    fn a_prompt_read_in_part_is_unknown_and_its_rest_never_comes() {
        let (mut prompt, mut reader) = Prompt::new(vec![b'x'; 300_000]).expect("pipe");
        prompt.feed();
        reader.read_exact(&mut [0; 10]).expect("read");
        assert_eq!(prompt.fence(), Delivered::Unknown);
        assert_eq!(prompt.fence(), Delivered::Unknown, "a second fence says the same");
        prompt.feed();
        assert_eq!(reader.read(&mut [0; 10]).expect("end of file"), 0);
    }

    #[test]
    fn a_prompt_read_whole_is_delivered() {
        let (mut prompt, mut reader) = Prompt::new(b"all of it".to_vec()).expect("pipe");
        prompt.feed();
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("read");
        assert_eq!((text.as_str(), prompt.fence()), ("all of it", Delivered::Yes));
    }

    #[test]
    fn an_empty_prompt_counts_as_delivered() {
        let (mut prompt, _reader) = Prompt::new(Vec::new()).expect("pipe");
        prompt.feed();
        assert_eq!(prompt.fence(), Delivered::Yes);
    }
}
