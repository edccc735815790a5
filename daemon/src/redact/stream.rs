//! Redacting a text that comes in pieces, wherever it is cut, with a few bytes of memory.
//!
//! What cannot be the beginning of a key goes on at once, with or without the end of its line; what may be one waits for
//! at most 256 bytes; what is one is replaced at once, and its rest is dropped as it comes.

use super::assignment::{self, Value};
use super::body::Body;
use super::pem::{self, Header, Lines, Taken};
use super::shape::{Rest, SHAPES, Shape, Start};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// The most that is held back, in bytes.
#[cfg(test)]
pub const HELD: usize = 256;
/// How much of what came before is remembered, to see whether a key may begin here.
const BEFORE: usize = 12;

/// No prefix is longer, in bytes; a test looks.
pub const LONGEST_PREFIX: usize = 20;
/// So much of a body decides whether it is a key, in bytes: so no byte is looked at more than a few times.
const DECIDES: usize = 128;

/// The prefixes in one automaton, in any case; a shape looks at the case itself. It looks at each byte once.
static PREFIXES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::DFA))
        .build(SHAPES.iter().map(|shape| shape.prefix))
        .ok()
});

/// Redacts one text.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// What may be the beginning of a key.
    held: Vec<u8>,
    /// How much of it is out already: a name that a value may follow is shown, and still says what the value is.
    shown: usize,
    /// The last bytes before that, as they came.
    before: Vec<u8>,
    /// A key whose rest is dropped.
    dropping: Option<Dropping>,
}

#[derive(Clone, Copy, Debug)]
enum Dropping {
    Run(Body),
    Lines(Lines),
}

/// What stands at a known prefix.
enum Found {
    /// Nothing.
    Nothing,
    /// A key: from, to, and what is dropped after it.
    Key(usize, usize, Option<Dropping>),
    /// Only more of the text can tell; what stands before here is no part of the key.
    Open(usize),
}

/// What comes next in a text.
enum Next {
    /// A key.
    Key { shape: &'static Shape, from: usize, to: usize, dropping: Option<Dropping> },
    /// Nothing that would be one up to here; but what begins at `keep` may tell more with what follows.
    Clear { until: usize, keep: usize },
}

/// Whether more of a text follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum More {
    Follows,
    Ended,
}

impl Redactor {
    /// Takes a piece, and adds to `out` what is known not to be a key, with `[redacted: KIND]` where one was.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.held.is_empty() {
            let done = self.pass(bytes, More::Follows, out);
            self.held.extend_from_slice(bytes.get(done..).unwrap_or_default());
            return;
        }
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let done = self.pass(&text, More::Follows, out);
        text.drain(..done);
        self.held = text;
    }

    /// The text is over: what was held back is what it is.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        let rest = std::mem::take(&mut self.held);
        self.pass(&rest, More::Ended, out);
    }

    /// Passes on what can be; how much of the text is done with.
    fn pass(&mut self, text: &[u8], more: More, out: &mut Vec<u8>) -> usize {
        let mut done = std::mem::take(&mut self.shown);
        let mut from = 0;
        let after = |at: usize| text.get(at..).unwrap_or_default();
        let consumed = loop {
            let (dropped, waits) = self.drop_rest(after(from), more);
            from += dropped;
            done = done.max(from);
            if waits {
                break done;
            }
            match self.next_key(text, from, more) {
                Next::Key { shape, from: start, to, dropping } => {
                    out.extend_from_slice(text.get(done..start).unwrap_or_default());
                    out.extend_from_slice(format!("[redacted: {}]", shape.kind).as_bytes());
                    (done, from, self.dropping) = (to, to, dropping);
                }
                Next::Clear { until, keep } => {
                    out.extend_from_slice(text.get(done..until).unwrap_or_default());
                    self.shown = until.max(done).saturating_sub(keep);
                    break keep;
                }
            }
        };
        self.remember(text.get(..consumed).unwrap_or_default());
        consumed
    }

    /// The next key from here on, or how far there is none.
    fn next_key(&self, text: &[u8], mut from: usize, more: More) -> Next {
        let after = |at: usize| text.get(at..).unwrap_or_default();
        // Without the automaton nothing is known about the text, so nothing of it is shown.
        let Some(prefixes) = PREFIXES.as_ref() else { return Next::Clear { until: from, keep: text.len() } };
        while let Some(hit) = prefixes.find(after(from)) {
            let (start, end) = (from + hit.start(), from + hit.end());
            let Some(shape) = SHAPES.get(hit.pattern().as_usize()) else { break };
            match self.look(shape, text, start, end, more) {
                // Of two prefixes the longer may still be on its way.
                Found::Nothing if more == More::Follows && self.is_begun(text, start) => {
                    return Next::Clear { until: start, keep: start };
                }
                Found::Nothing => from = start + 1,
                Found::Key(from, to, dropping) => return Next::Key { shape, from, to, dropping },
                Found::Open(until) => return Next::Clear { until, keep: start },
            }
        }
        let begun = match more {
            More::Follows => {
                (from.max(text.len().saturating_sub(LONGEST_PREFIX))..text.len()).find(|at| self.is_begun(text, *at))
            }
            More::Ended => None,
        };
        let until = begun.unwrap_or(text.len());
        Next::Clear { until, keep: until }
    }

    /// Whether what is left from here is the beginning of a prefix.
    fn is_begun(&self, text: &[u8], at: usize) -> bool {
        let rest = text.get(at..).unwrap_or_default();
        rest.len() < LONGEST_PREFIX
            && SHAPES.iter().any(|shape| {
                let prefix = shape.prefix.as_bytes().get(..rest.len());
                prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(rest)) && self.may_start(shape.start, text, at)
            })
    }

    /// Drops the rest of a key; how much that was, and whether what is left has to wait.
    fn drop_rest(&mut self, text: &[u8], more: More) -> (usize, bool) {
        let (dropped, goes_on) = match &mut self.dropping {
            None => return (0, false),
            Some(Dropping::Run(body)) => {
                let run = body.run(text);
                (run, run == text.len())
            }
            Some(Dropping::Lines(lines)) => match lines.take(text) {
                Taken::All => (text.len(), true),
                Taken::Over(taken) => (taken, false),
                Taken::Wait(taken) => (taken, more == More::Follows),
            },
        };
        if !goes_on {
            self.dropping = None;
        }
        (dropped, goes_on)
    }

    /// What stands at a prefix.
    fn look(&self, shape: &Shape, text: &[u8], start: usize, end: usize, more: More) -> Found {
        let any_case = matches!(shape.rest, Rest::Named(_) | Rest::Behind(..));
        if !any_case && text.get(start..end) != Some(shape.prefix.as_bytes())
            || !self.may_start(shape.start, text, start)
        {
            return Found::Nothing;
        }
        let rest = text.get(end..).unwrap_or_default();
        let whole = more == More::Ended;
        match shape.rest {
            Rest::Key(body, least) => run(start, end, body, least, rest, whole),
            Rest::Behind(body, least) => run(end, end, body, least, rest, whole),
            Rest::Exact(body, length) => match body.run(rest.get(..=length).unwrap_or(rest)) {
                found if found == rest.len() && found <= length && !whole => Found::Open(start),
                found if found == length && !rest.get(length).is_some_and(u8::is_ascii_alphanumeric) => {
                    Found::Key(start, end + length, None)
                }
                _ => Found::Nothing,
            },
            Rest::Pem => match pem::header(rest) {
                Header::Private(header) => Found::Key(start, end + header, Some(Dropping::Lines(Lines::default()))),
                Header::Open if !whole => Found::Open(start),
                Header::Open | Header::Other => Found::Nothing,
            },
            Rest::Named(how) => {
                let name = end - start;
                match assignment::value(text.get(start..).unwrap_or_default(), name, how, whole) {
                    Value::Secret(at, length) => {
                        Found::Key(start + at, start + at + length, Some(Dropping::Run(Body::Token)))
                    }
                    Value::Open(at) => Found::Open(start + at),
                    Value::Nothing => Found::Nothing,
                }
            }
        }
    }

    /// Whether a key may begin behind what stands before `at`.
    fn may_start(&self, start: Start, text: &[u8], at: usize) -> bool {
        if start == Start::Anywhere {
            return true;
        }
        let here = text.get(at.saturating_sub(BEFORE)..at).unwrap_or_default();
        let missing = BEFORE - here.len();
        let there = self.before.get(self.before.len().saturating_sub(missing)..).unwrap_or_default();
        let before = [there, here].concat();
        match start {
            Start::Anywhere => true,
            Start::BehindHeader => before.len() == BEFORE && before.iter().all(|byte| Body::Url.has(*byte)),
            Start::Fresh => is_fresh(&before),
        }
    }

    fn remember(&mut self, passed: &[u8]) {
        self.before.extend_from_slice(passed.get(passed.len().saturating_sub(BEFORE)..).unwrap_or_default());
        self.before.drain(..self.before.len().saturating_sub(BEFORE));
    }
}

/// A run of a body, from a length on a key. What goes on after the text is dropped as it comes.
fn run(from: usize, end: usize, body: Body, least: usize, rest: &[u8], whole: bool) -> Found {
    let length = body.run(rest.get(..DECIDES).unwrap_or(rest));
    if length >= least && rest.iter().take(length).any(u8::is_ascii_digit) {
        return Found::Key(from, end + length, Some(Dropping::Run(body)));
    }
    if length == rest.len() && length < DECIDES && !whole { Found::Open(from) } else { Found::Nothing }
}

/// Whether no word goes on here: neither letter nor digit, or the end of an escape of JSON or of a terminal's colour.
fn is_fresh(before: &[u8]) -> bool {
    match before {
        [.., last] if !last.is_ascii_alphanumeric() => true,
        [] | [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [colour @ .., b'm'] => {
            let parameters = colour.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
            colour.len() > parameters && colour.get(colour.len() - parameters - 1) == Some(&b'[')
        }
        _ => false,
    }
}
