//! Cutting output into lines, with bounded memory whatever is printed.

/// The longest part of a line that is kept, in bytes.
pub const LONGEST: usize = 1 << 20;

/// A line without its end; bytes that are no UTF-8 are replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// The whole line.
    Whole(String),
    /// The start of one that is longer than is kept. Never to be parsed.
    Truncated(String),
}

/// Cuts one stream into lines.
#[derive(Debug)]
pub struct LineSplitter {
    line: Vec<u8>,
    overlong: bool,
    longest: usize,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::keeping(LONGEST)
    }
}

impl LineSplitter {
    /// Keeps at most this many bytes of a line.
    pub fn keeping(longest: usize) -> Self {
        Self { line: Vec::new(), overlong: false, longest }
    }

    /// Takes what was read and hands on each line that it completes.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(Line)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            self.keep(line);
            each(self.take());
            rest = after.get(1..).unwrap_or_default();
        }
        self.keep(rest);
    }

    /// The last line, if it had no end.
    pub fn finish(mut self) -> Option<Line> {
        (!self.line.is_empty()).then(|| self.take())
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.longest.saturating_sub(self.line.len());
        match bytes.get(..room) {
            Some(fitting) if bytes.len() > room => {
                self.line.extend_from_slice(fitting);
                self.overlong = true;
            }
            _ => self.line.extend_from_slice(bytes),
        }
    }

    fn take(&mut self) -> Line {
        let mut bytes = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.overlong) {
            return Line::Truncated(String::from_utf8_lossy(&bytes).into_owned());
        }
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        Line::Whole(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<Line> {
        let mut splitter = LineSplitter::default();
        let mut lines = Vec::new();
        for chunk in chunks {
            splitter.push(chunk, |line| lines.push(line));
        }
        lines.extend(splitter.finish());
        lines
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.to_owned())
    }

    #[test]
    fn lines_are_the_same_however_they_are_cut() {
        let expected = [whole("one"), whole(""), whole("zwei ü"), whole("no end")];
        let text = "one\r\n\nzwei ü\nno end".as_bytes();
        assert_eq!(split(&[text]), expected);
        assert_eq!(split(&text.chunks(1).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_replaced() {
        assert_eq!(split(&[b"a\xff\xfeb\n"]), [whole("a\u{fffd}\u{fffd}b")]);
    }

    #[test]
    fn a_line_without_end_keeps_its_first_mebibyte_and_says_so() {
        let chunk = vec![b'x'; 300_000];
        let mut splitter = LineSplitter::default();
        let mut lines = Vec::new();
        for _ in 0..40 {
            splitter.push(&chunk, |line| lines.push(line));
            assert!(splitter.line.capacity() <= 2 * LONGEST);
        }
        splitter.push(b"\nnext\n", |line| lines.push(line));
        assert_eq!(lines, [Line::Truncated("x".repeat(LONGEST)), whole("next")]);
    }

    #[test]
    fn a_line_of_exactly_the_longest_is_whole() {
        let text = "x".repeat(LONGEST);
        assert_eq!(split(&[text.as_bytes(), b"\n"]), [whole(&text)]);
    }
}
