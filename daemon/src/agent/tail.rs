//! The end of a text, with bounded memory and without known keys.

use crate::redact::Redactor;
use std::collections::VecDeque;

/// So much before the end is kept beside it, in bytes: a key that begins before the end is seen as a whole.
const BEFORE: usize = 16 << 10;

/// Keeps the last bytes of what it is given. Keys are looked for when the text is asked for, not in all that was printed.
#[derive(Clone, Debug)]
pub struct Tail {
    bytes: VecDeque<u8>,
    most: usize,
    /// How much was given so far, in bytes.
    given: usize,
}

impl Tail {
    /// Keeps at most this many bytes.
    pub fn new(most: usize) -> Self {
        Self { bytes: VecDeque::new(), most, given: 0 }
    }

    /// Takes more of the text.
    pub fn push(&mut self, bytes: &[u8]) {
        let most = self.most.saturating_add(BEFORE);
        let fitting = bytes.get(bytes.len().saturating_sub(most)..).unwrap_or_default();
        let too_many = (self.bytes.len() + fitting.len()).saturating_sub(most);
        self.given = self.given.saturating_add(bytes.len());
        self.bytes.drain(..too_many);
        self.bytes.extend(fitting);
    }

    /// The text, beginning at a whole character, never longer than the bound; bytes that are no UTF-8 are replaced.
    pub fn text(&self) -> String {
        let bytes = self.redacted();
        let cut = bytes.get(bytes.len().saturating_sub(self.most)..).unwrap_or_default();
        let bytes: Vec<u8> = cut.iter().copied().skip_while(|byte| (0x80..0xc0).contains(byte)).collect();
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        // Replacing makes a text longer than its bytes.
        if text.len() > self.most {
            let from = (text.len() - self.most..=text.len()).find(|at| text.is_char_boundary(*at));
            text.drain(..from.unwrap_or(text.len()));
        }
        text
    }

    /// What is kept, without keys. Where the beginning was lost, what stands before the end only shows where keys begin.
    fn redacted(&self) -> Vec<u8> {
        let (mut out, mut redactor) = (Vec::new(), Redactor::default());
        let (first, second) = self.bytes.as_slices();
        let kept = [first, second].concat();
        let before = if self.given > self.most { kept.len().saturating_sub(self.most) } else { 0 };
        redactor.push(kept.get(..before).unwrap_or_default(), &mut out);
        out.clear();
        redactor.push(kept.get(before..).unwrap_or_default(), &mut out);
        redactor.finish(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_in_any_cut() {
        for size in [1, 3, 100] {
            let mut tail = Tail::new(5);
            for chunk in b"0123456789".chunks(size) {
                tail.push(chunk);
            }
            assert_eq!(tail.text(), "56789", "chunks of {size}");
        }
    }

    #[test]
    fn a_key_that_is_cut_by_the_bound_leaves_no_part_of_itself() {
        let key = ["sk-ant-api03-", "Ab3dEfGh1JkLmN0pQrStUvWxYz2456789"].concat();
        for after in (0..80).step_by(3) {
            for before in [0, 10, 20_000] {
                let mut tail = Tail::new(64);
                let text = format!("{}{key}{}", "x ".repeat(before), " y".repeat(after));
                tail.push(text.as_bytes());
                let kept = tail.text();
                assert!(!kept.contains("Wx"), "{before} before, {after} after: {kept}");
                assert!(kept.ends_with(&" y".repeat(after.min(32))), "{kept}");
            }
        }
    }

    #[test]
    fn it_begins_at_a_whole_character() {
        let mut tail = Tail::new(4);
        tail.push("aüüb".as_bytes());
        assert_eq!(tail.text(), "üb");
    }

    #[test]
    fn replaced_bytes_do_not_make_it_longer_than_its_bound() {
        let mut tail = Tail::new(10);
        tail.push(&[0xff; 30]);
        assert_eq!(tail.text(), "\u{fffd}\u{fffd}\u{fffd}");
    }
}
