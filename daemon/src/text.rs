//! Bytes that come in pieces, as text: a character that is cut waits for its other half.

/// Turns pieces into text; bytes that are no UTF-8 are replaced.
#[derive(Debug, Default)]
pub struct Decoder {
    waiting: Vec<u8>,
}

impl Decoder {
    /// The text that is whole so far.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.waiting.extend_from_slice(bytes);
        let rest = self.waiting.split_off(whole(&self.waiting));
        let text = String::from_utf8_lossy(&self.waiting).into_owned();
        self.waiting = rest;
        text
    }

    /// What never became whole.
    pub fn finish(self) -> String {
        String::from_utf8_lossy(&self.waiting).into_owned()
    }
}

/// How many of these bytes end with a whole character: at most three fewer than all.
pub fn whole(bytes: &[u8]) -> usize {
    let starts = bytes.iter().rev().take(4).position(|byte| byte & 0xc0 != 0x80);
    let Some(back) = starts else { return bytes.len() };
    let at = bytes.len() - 1 - back;
    let wanted = match bytes[at] {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    };
    if bytes.len() - at < wanted { at } else { bytes.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_anywhere_comes_out_whole() {
        let text = "aé€😀z\u{fffd}";
        for cut in 0..=text.len() {
            let mut decoder = Decoder::default();
            let (head, tail) = text.as_bytes().split_at(cut);
            let joined = decoder.push(head) + &decoder.push(tail) + &decoder.finish();
            assert_eq!(joined, text, "cut at {cut}");
        }
    }

    #[test]
    fn broken_bytes_are_replaced_and_never_waited_for() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push(&[b'a', 0xff, 0x80, 0x80, 0x80, 0x80, b'b']).chars().last(), Some('b'));
        assert_eq!(decoder.push(&[0xe2, 0x82]), "");
        assert_eq!(decoder.finish(), "\u{fffd}");
    }
}
