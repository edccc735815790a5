//! The write-ahead log of a database: which frames are committed, and where all of them are.

use super::page::u32_at;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt as _;

const HEADER: u64 = 32;
const FRAME: u64 = 24;

/// The frames of a write-ahead log.
#[derive(Default, Debug)]
pub(super) struct Frames {
    /// Every frame in its order, proven or not: its page and where the page begins in the file.
    pub all: Vec<(u32, u64)>,
    /// What is committed and proven: by page, where the newest version begins.
    pub committed: HashMap<u32, u64>,
    /// Whether something is behind the last proven commit that the writer of that commit wrote.
    pub tail: usize,
}

/// The page size that its header says.
pub(super) fn page_size(file: &File) -> Option<usize> {
    let mut header = [0; 12];
    file.read_exact_at(&mut header, 0).ok()?;
    usize::try_from(u32_at(&header, 8)?).ok()
}

/// Reads all frames that pages of this size make.
pub(super) fn frames(file: &File, length: u64, page_size: usize) -> Frames {
    let mut found = Frames::default();
    let mut header = [0; 32];
    let Ok(size) = u64::try_from(page_size) else { return found };
    if file.read_exact_at(&mut header, 0).is_err() {
        return found;
    }
    let little = u32_at(&header, 0) == Some(0x377f_0682);
    let salts = header.get(16..24).map(<[u8]>::to_vec).unwrap_or_default();
    let mut sum = checksum((0, 0), header.get(..24).unwrap_or_default(), little);
    let mut proven = Some(sum.0) == u32_at(&header, 24) && Some(sum.1) == u32_at(&header, 28);
    let mut pending = Vec::new();
    let mut frame = vec![0; page_size + 24];
    let mut at = HEADER;
    while at.saturating_add(FRAME + size) <= length && file.read_exact_at(&mut frame, at).is_ok() {
        let page = u32_at(&frame, 0).unwrap_or(0);
        found.all.push((page, at + FRAME));
        sum = checksum(sum, frame.get(..8).unwrap_or_default(), little);
        sum = checksum(sum, frame.get(24..).unwrap_or_default(), little);
        let same = frame.get(8..16) == Some(&salts);
        proven &= same && Some(sum.0) == u32_at(&frame, 16) && Some(sum.1) == u32_at(&frame, 20) && page > 0;
        if proven {
            pending.push((page, at + FRAME));
            if u32_at(&frame, 4).is_some_and(|pages| pages > 0) {
                found.committed.extend(pending.drain(..));
            }
        } else if same {
            found.tail += 1;
        }
        at += FRAME + size;
    }
    found.tail += pending.len();
    found
}

/// `SQLite`'s checksum over an even number of words.
fn checksum(start: (u32, u32), bytes: &[u8], little: bool) -> (u32, u32) {
    let word = |bytes: &[u8]| {
        let bytes: [u8; 4] = bytes.try_into().unwrap_or_default();
        if little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    };
    bytes.chunks_exact(8).fold(start, |(first, second), pair| {
        let (left, right) = pair.split_at(4);
        let first = first.wrapping_add(word(left)).wrapping_add(second);
        (first, second.wrapping_add(word(right)).wrapping_add(first))
    })
}
