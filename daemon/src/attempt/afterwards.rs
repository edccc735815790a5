//! The end of an attempt that nobody saw, read off its output: where the agent itself said that its turn was over, that
//! counts; else it is lost.

use super::collected::{Collected, end_of};
use super::run::AttemptReport;
use crate::agent::{Adapter, End, Stream};
use goald_schema::event::{Delivered, Outcome};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Reads an attempt's output file to its end. Blocking. An output that cannot be read says nothing.
///
/// The file holds both streams as they came, and no exit status is known: a terminal event is all there is to go by, and
/// plain text has none.
pub fn read(output: &Path, adapter: Box<dyn Adapter>) -> AttemptReport {
    let mut collected = Collected::new(adapter);
    let read = File::open(output).and_then(|mut file| {
        let mut buffer = vec![0_u8; 64 << 10];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(()),
                count => collected.push(Stream::Stdout, buffer.get(..count).unwrap_or_default()),
            }
        }
    });
    if let Err(error) = read {
        tracing::warn!(path = %output.display(), %error, "the output of a lost attempt cannot be read");
    }
    let (_, facts, _) = collected.finish();
    let (outcome, delivered, last_words) = match facts.terminal {
        Some(End::Completed { text }) => (Outcome::Completed, Delivered::Yes, text),
        Some(End::Failed(failure)) => (Outcome::Failed { failure }, Delivered::Yes, None),
        None => (Outcome::Lost, Delivered::Unknown, None),
    };
    AttemptReport {
        outcome,
        delivered,
        usage: facts.usage,
        worked_ms: 0,
        agent_session: facts.session,
        final_text: last_words.map(|text| end_of(&text)).or_else(|| facts.text.map(|text| text.text())),
        leftovers: 0,
    }
}
