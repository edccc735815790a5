//! The lines of a private key, also where they stand in a JSON string with `\n` for their ends.

/// The longest body that goes, in bytes: whoever prints a beginning without an end loses no more than this.
const LONGEST: usize = 16 << 10;

/// What may stand between `-----BEGIN` and the end of that line.
pub enum Header {
    /// Of a private key, so long.
    Private(usize),
    /// Of something else.
    Other,
    /// Not yet clear.
    Open,
}

/// Looks at what follows `-----BEGIN `.
pub fn header(bytes: &[u8]) -> Header {
    const WORDS: usize = 40;
    let words = bytes.iter().position(|byte| !byte.is_ascii_uppercase() && !matches!(byte, b'0'..=b'9' | b' '));
    let Some(words) = words else { return if bytes.len() > WORDS { Header::Other } else { Header::Open } };
    let (name, rest) = bytes.split_at(words);
    let private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    let dashes = rest.iter().take(5).take_while(|byte| **byte == b'-').count();
    match (private, dashes) {
        (true, 5) => Header::Private(words + 5),
        (true, dashes) if dashes == rest.len() => Header::Open,
        _ => Header::Other,
    }
}

/// How far the lines are read: first the body, then the line that ends them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    taken: usize,
    dashes: u8,
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Part {
    #[default]
    Body,
    EndName,
}

/// How many bytes of a piece belong to the key.
pub enum Taken {
    /// All.
    All,
    /// So many, and no more will.
    Over(usize),
    /// So many; what the rest is only the next piece can tell.
    Wait(usize),
}

impl Lines {
    /// Takes what belongs to the key.
    pub fn take(&mut self, bytes: &[u8]) -> Taken {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if self.taken >= LONGEST {
                return Taken::Over(at);
            }
            let width = match byte {
                // The end of a line inside of a JSON string.
                b'\\' => match bytes.get(at + 1) {
                    Some(b'n' | b'r' | b't' | b'/') => 2,
                    Some(_) => return Taken::Over(at),
                    None => return Taken::Wait(at),
                },
                b'A'..=b'Z'
                | b'a'..=b'z'
                | b'0'..=b'9'
                | b'+'
                | b'/'
                | b'='
                | b'-'
                | b':'
                | b','
                | b' '
                | b'\t'
                | b'\r'
                | b'\n' => 1,
                _ => return Taken::Over(at),
            };
            at += width;
            self.taken += width;
            if *byte != b'-' {
                self.dashes = 0;
                continue;
            }
            self.dashes += 1;
            if self.dashes == 5 {
                self.dashes = 0;
                match self.part {
                    Part::Body => self.part = Part::EndName,
                    Part::EndName => return Taken::Over(at),
                }
            }
        }
        Taken::All
    }
}
