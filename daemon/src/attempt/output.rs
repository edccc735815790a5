//! What an attempt prints goes to a file beside the log, up to a bound; what is over it is read and dropped.

use crate::private_file;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tokio::sync::watch;

/// How much of an attempt's output is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OutputState {
    /// Bytes in the file.
    pub len: u64,
    /// Whether no more will come.
    pub done: bool,
}

/// Writes one attempt's output.
#[derive(Debug)]
pub struct OutputFile {
    file: Option<File>,
    cap: u64,
    dropped: u64,
    state: watch::Sender<OutputState>,
}

impl OutputFile {
    /// Makes the file. One that cannot be made is reported, and the output is lost: evidence, never fatal.
    pub fn create(path: &Path, cap: u64) -> (Self, watch::Receiver<OutputState>) {
        let made = path.parent().map_or(Ok(()), private_file::folder).and_then(|()| private_file::append(path));
        let file = made.inspect_err(|error| tracing::warn!(path = %path.display(), %error, "output is not kept")).ok();
        let (state, seen) = watch::channel(OutputState::default());
        (Self { file, cap, dropped: 0, state }, seen)
    }

    /// Takes what was printed.
    pub fn push(&mut self, bytes: &[u8]) {
        let room = usize::try_from(self.cap.saturating_sub(self.state.borrow().len)).unwrap_or(usize::MAX);
        let (kept, over) = bytes.split_at(room.min(bytes.len()));
        self.dropped = self.dropped.saturating_add(length(over));
        self.write(kept);
    }

    /// Says how much was left out, and that no more comes.
    pub fn finish(mut self) {
        if self.dropped > 0 {
            let line = format!("\n[goald: {} more bytes were printed and not kept]\n", self.dropped);
            self.write(line.as_bytes());
        }
        self.state.send_modify(|state| state.done = true);
    }

    fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let written: io::Result<()> = if bytes.is_empty() { Ok(()) } else { file.write_all(bytes) };
        match written {
            Ok(()) => self.state.send_modify(|state| state.len = state.len.saturating_add(length(bytes))),
            Err(error) => {
                tracing::warn!(%error, "output is no longer kept");
                self.file = None;
            }
        }
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn output_is_kept_up_to_its_bound_and_says_what_is_missing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("output/a.out");
        let (mut output, state) = OutputFile::create(&path, 10);
        output.push(b"12345");
        output.push(b"67890abc");
        output.push(b"d");
        output.finish();
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(text, "1234567890\n[goald: 4 more bytes were printed and not kept]\n");
        assert!(state.borrow().done);
        assert_eq!(state.borrow().len, length(text.as_bytes()));
        let mode = std::fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
