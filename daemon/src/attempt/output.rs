//! The output file: everything an attempt prints, as it comes, without known keys and up to a cap. Evidence, not authority: if it cannot be
//! written the attempt goes on and the loss is reported.

use super::handle::OutputState;
use crate::crash::{self, Place};
use crate::guard::Stream;
use crate::redact::Redactor;
use std::io;
use std::path::{Path, PathBuf};
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncSeekExt, AsyncWriteExt};
use tokio::sync::watch;

/// The file of one attempt.
pub struct Output {
    path: PathBuf,
    /// `None` where it could not be created, or cut after a write that failed: the rest is lost.
    file: Option<File>,
    stored: u64,
    cap: u64,
    discarded: u64,
    /// Bytes that there was no room for, since the file last took any.
    lost: u64,
    line: LineState,
    /// One a stream: a key may come in pieces, with something of the other stream between them.
    stdout: Redactor,
    stderr: Redactor,
    state: watch::Sender<OutputState>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineState {
    AtStart,
    Inside,
}

impl Output {
    /// Creates the file, mode 0600. One that is there already is evidence of something else and is not touched.
    pub async fn create(path: &Path, cap: u64, state: watch::Sender<OutputState>) -> Self {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).await;
        let mut output = Self {
            path: path.to_owned(),
            file: None,
            stored: 0,
            cap,
            discarded: 0,
            lost: 0,
            line: LineState::AtStart,
            stdout: Redactor::default(),
            stderr: Redactor::default(),
            state,
        };
        match file {
            Ok(file) => {
                crash::at(Place::OutputCreated);
                output.file = Some(file);
            }
            Err(error) => output.give_up(&error),
        }
        output
    }

    /// Stores what of it still fits and is no key; the rest is counted.
    pub async fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if self.file.is_none() || self.stored >= self.cap {
            self.discarded = self.discarded.saturating_add(length(bytes));
            return;
        }
        let mut clean = Vec::with_capacity(bytes.len());
        match stream {
            Stream::Stdout => self.stdout.push(bytes, &mut clean),
            Stream::Stderr => self.stderr.push(bytes, &mut clean),
        }
        self.keep(&clean).await;
    }

    async fn keep(&mut self, bytes: &[u8]) {
        let room = usize::try_from(self.cap.saturating_sub(self.stored)).unwrap_or(usize::MAX);
        let (fitting, over) = bytes.split_at(room.min(bytes.len()));
        self.store(fitting).await;
        self.discarded = self.discarded.saturating_add(length(over));
    }

    /// Says how much was discarded, if any was, and that no more will come.
    pub async fn finish(mut self) {
        for redactor in [std::mem::take(&mut self.stdout), std::mem::take(&mut self.stderr)] {
            let mut rest = Vec::new();
            redactor.finish(&mut rest);
            self.keep(&rest).await;
        }
        if self.discarded > 0 {
            let (discarded, cap) = (self.discarded, self.cap);
            self.note(&format!("{discarded} bytes over the {cap} kept were discarded")).await;
        } else {
            self.note_loss().await;
        }
        self.state.send_modify(|state| state.done = true);
    }

    /// Stores them, behind a line that says what had no room before.
    async fn store(&mut self, bytes: &[u8]) {
        self.note_loss().await;
        if !bytes.is_empty() && (self.lost > 0 || !self.append(bytes).await) {
            self.lost = self.lost.saturating_add(length(bytes));
        }
    }

    async fn note_loss(&mut self) {
        if self.lost > 0 {
            let lost = std::mem::take(&mut self.lost);
            if !self.append(self.line_of_its_own(&format!("{lost} bytes could not be stored")).as_bytes()).await {
                self.lost = lost;
            }
        }
    }

    async fn note(&mut self, what: &str) {
        self.note_loss().await;
        self.append(self.line_of_its_own(what).as_bytes()).await;
    }

    fn line_of_its_own(&self, what: &str) -> String {
        let break_line = if self.line == LineState::Inside { "\n" } else { "" };
        format!("{break_line}[goald: {what}]\n")
    }

    /// Whether all of it is in the file; nothing of it is otherwise.
    async fn append(&mut self, bytes: &[u8]) -> bool {
        let (Some(file), Some(last)) = (&mut self.file, bytes.last()) else { return false };
        let written = match file.write_all(bytes).await {
            // Without it the bytes may still be on their way when a reader is told of them.
            Ok(()) => file.flush().await,
            Err(error) => Err(error),
        };
        match written {
            Ok(()) => {
                crash::at(Place::OutputStored);
                self.line = if *last == b'\n' { LineState::AtStart } else { LineState::Inside };
                self.stored = self.stored.saturating_add(length(bytes));
                self.state.send_modify(|state| state.len = self.stored);
                true
            }
            Err(error) => {
                if self.lost == 0 {
                    tracing::warn!(path = %self.path.display(), %error, "output of the attempt is lost for now");
                }
                // A part may be there; the next thing that has room goes where it began.
                let cut = match file.set_len(self.stored).await {
                    Ok(()) => file.seek(io::SeekFrom::Start(self.stored)).await.map(drop),
                    Err(error) => Err(error),
                };
                if let Err(error) = cut {
                    self.give_up(&error);
                }
                false
            }
        }
    }

    fn give_up(&mut self, error: &io::Error) {
        self.file = None;
        tracing::warn!(path = %self.path.display(), %error, "output of the attempt is lost from here on");
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    async fn written(cap: u64, chunks: &[&str]) -> (String, OutputState) {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("out");
        let (sender, state) = watch::channel(OutputState::default());
        let mut output = Output::create(&path, cap, sender).await;
        for chunk in chunks {
            output.write(Stream::Stdout, chunk.as_bytes()).await;
        }
        output.finish().await;
        let mode = std::fs::metadata(&path).expect("file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        (std::fs::read_to_string(path).expect("text"), *state.borrow())
    }

    #[tokio::test]
    async fn everything_under_the_cap_is_kept_and_nothing_added() {
        let (text, state) = written(10, &["12345", "67890"]).await;
        assert_eq!((text.as_str(), state), ("1234567890", OutputState { len: 10, done: true }));
    }

    #[tokio::test]
    async fn what_is_over_the_cap_is_counted_in_a_line_of_goalds_own() {
        let (text, state) = written(8, &["12345", "67890", "more"]).await;
        assert_eq!(text, "12345678\n[goald: 6 bytes over the 8 kept were discarded]\n");
        assert_eq!(state.len, u64::try_from(text.len()).expect("small"));
    }

    #[tokio::test]
    async fn a_key_is_never_stored_though_it_comes_in_pieces_with_the_other_stream_between_them() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("out");
        let (sender, state) = watch::channel(OutputState::default());
        let mut output = Output::create(&path, 1_000, sender).await;
        output.write(Stream::Stdout, b"the key: sk-ant-api03-012345").await;
        output.write(Stream::Stderr, b"noise\n").await;
        let seen = std::fs::read_to_string(&path).expect("text");
        assert_eq!((seen.as_str(), state.borrow().len), ("the key: noise\n", 15), "what is no key goes on at once");
        output.write(Stream::Stdout, b"6789abcdefghijkl").await;
        output.write(Stream::Stdout, b"mnop\nend, sk-an").await;
        output.finish().await;
        let text = std::fs::read_to_string(path).expect("text");
        assert_eq!(text, "the key: noise\n[redacted: anthropic-key]\nend, sk-an");
    }

    #[tokio::test]
    async fn a_file_that_is_there_already_is_not_touched() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("out");
        std::fs::write(&path, "evidence").expect("written");
        let (sender, state) = watch::channel(OutputState::default());
        let mut output = Output::create(&path, 100, sender).await;
        output.write(Stream::Stdout, b"other").await;
        output.finish().await;
        assert_eq!(std::fs::read_to_string(path).expect("text"), "evidence");
        assert_eq!(*state.borrow(), OutputState { len: 0, done: true });
    }
}
