//! The end of a text, with bounded memory.

use std::collections::VecDeque;

/// Keeps the last bytes of what it is given.
#[derive(Clone, Debug)]
pub struct Tail {
    bytes: VecDeque<u8>,
    most: usize,
}

impl Tail {
    /// Keeps at most this many bytes.
    pub fn new(most: usize) -> Self {
        Self { bytes: VecDeque::new(), most }
    }

    /// Takes more of the text.
    pub fn push(&mut self, bytes: &[u8]) {
        let fitting = bytes.get(bytes.len().saturating_sub(self.most)..).unwrap_or_default();
        let too_many = (self.bytes.len() + fitting.len()).saturating_sub(self.most);
        self.bytes.drain(..too_many);
        self.bytes.extend(fitting);
    }

    /// The text, beginning at a whole character, never longer than the bound; bytes that are no UTF-8 are replaced.
    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().skip_while(|byte| (0x80..0xc0).contains(byte)).collect();
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        // Replacing makes a text longer than its bytes.
        if text.len() > self.most {
            let from = (text.len() - self.most..=text.len()).find(|at| text.is_char_boundary(*at));
            text.drain(..from.unwrap_or(text.len()));
        }
        text
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
