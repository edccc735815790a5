//! The daemon's own log: one event a line, whatever text of agents and peers is in it, in files of bounded size. It is
//! there for people and must never matter: what cannot be written is dropped, and nobody is told or kept waiting for
//! room. (Crates that rotate by size fail or panic on a full disk.)

use crate::private_file;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes of one file.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// How many older files are kept: `goald.log.1` is the newest of them.
const KEPT: u32 = 3;

/// The log, to be written an event at a time.
#[derive(Debug)]
pub struct OwnLog {
    path: PathBuf,
    most: u64,
    /// None where it could not be opened: tried again with the next event.
    file: Option<File>,
    line: Line,
}

/// How the last write ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line {
    Whole,
    /// A part of a line may be there: a disk was full.
    Cut,
}

impl OwnLog {
    /// Opens it, mode 0600.
    ///
    /// # Errors
    /// The system's.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::bounded(path, MOST_BYTES)
    }

    fn bounded(path: &Path, most: u64) -> io::Result<Self> {
        let file = Some(private_file::append(path)?);
        Ok(Self { path: path.to_owned(), most, file, line: Line::Whole })
    }

    fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        let more = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let file = match self.file.take() {
            Some(file) => file,
            None => private_file::append(&self.path)?,
        };
        let len = file.metadata()?.len();
        let file = if len > 0 && len.saturating_add(more) > self.most { self.rotated(&file)? } else { file };
        let file = self.file.insert(file);
        if self.line == Line::Cut {
            file.write_all(b"\n")?;
        }
        self.line = Line::Cut;
        file.write_all(line)?;
        self.line = Line::Whole;
        Ok(())
    }

    /// Moves every file on by one, the oldest away, and begins a new one.
    fn rotated(&mut self, old: &File) -> io::Result<File> {
        for number in (1..KEPT).rev() {
            moved(&numbered(&self.path, number), &numbered(&self.path, number + 1))?;
        }
        moved(&self.path, &numbered(&self.path, 1))?;
        self.line = Line::Whole;
        let new = private_file::append(&self.path)?;
        follow(old, &new)?;
        Ok(new)
    }
}

impl Write for OwnLog {
    /// Takes one whole event; never fails.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        // Dropped where it fails: there is no place left to say so.
        self.write_line(one_line(event).as_bytes()).ok();
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One line, whatever was in it: line breaks, escape sequences and the like become visible.
fn one_line(event: &[u8]) -> String {
    let text = String::from_utf8_lossy(event);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let mut line = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line.push('\n');
    line
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

fn moved(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A detached daemon's standard error is its log: it goes on in the new file, else the old one would grow unseen.
fn follow(old: &File, new: &File) -> io::Result<()> {
    let is_log = {
        let error = nix::sys::stat::fstat(io::stderr())?;
        let old = old.metadata()?;
        (error.st_dev, error.st_ino) == (old.dev(), old.ino())
    };
    if is_log {
        nix::unistd::dup2_stderr(new)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
