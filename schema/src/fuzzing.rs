//! What must hold of decoding whatever is given: asked by the fuzz targets in `fuzz/` and by ordinary tests.
//!
//! Only compiled for tests and with the feature `fuzzing`, which nothing of goald itself turns on.

use crate::event::{DecodeError, EVENT_VERSION, Event};
use crate::{Actor, strict};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;

/// An event's type on the first line, its data after it. What decodes is written as something that decodes to the same,
/// and says neither more nor less than the input did; no other version decodes.
///
/// # Panics
/// If that does not hold.
pub fn event_decode(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (kind, data) = text.split_once('\n').unwrap_or((text, ""));
    own::<Actor>(data);
    let older = Event::decode(kind, EVENT_VERSION + 1, data);
    assert_eq!(older, Err(DecodeError::Version { kind: kind.to_owned(), version: EVENT_VERSION + 1 }));
    match Event::decode(kind, EVENT_VERSION, data) {
        Ok(event) => {
            assert_eq!(event.kind(), kind);
            let Ok(written) = event.encode() else { panic!("{event:?} cannot be written") };
            assert_eq!(Event::decode(kind, EVENT_VERSION, &written), Ok(event));
            says_all(data, &written);
        }
        Err(DecodeError::Type(named)) => {
            assert_eq!(named, kind);
            assert!(!Event::TYPES.contains(&kind), "{kind} is a type");
        }
        Err(DecodeError::Data { kind: named, error }) => {
            assert_eq!(named, kind);
            assert!(!error.is_empty(), "an error says what is wrong");
        }
        Err(DecodeError::Version { .. }) => panic!("the version is known"),
    }
}

fn own<T: Serialize + DeserializeOwned + PartialEq + Debug>(text: &str) {
    let Ok(read) = strict::stored::<T>(text) else { return };
    let Ok(written) = serde_json::to_string(&read) else { panic!("{read:?} cannot be written") };
    says_all(text, &written);
    let again = strict::stored::<T>(&written).map_err(|error| error.to_string());
    assert_eq!(again, Ok(read));
}

/// But for defaults that were left out, what was given is what is written.
fn says_all(given: &str, written: &str) {
    let (Ok(given), Ok(mut written)) = (serde_json::from_str(given), serde_json::from_str(written)) else {
        panic!("decoded, but is no JSON: {given}\nor {written}");
    };
    take_away_defaults(&given, &mut written);
    assert_eq!(given, written);
}

fn take_away_defaults(given: &Value, written: &mut Value) {
    match (given, written) {
        (Value::Object(given), Value::Object(written)) => {
            let default = |value: &Value| *value == 0 || value.as_array().is_some_and(Vec::is_empty);
            written.retain(|key, value| given.contains_key(key) || !default(value));
            for (key, value) in given {
                if let Some(written) = written.get_mut(key) {
                    take_away_defaults(value, written);
                }
            }
        }
        (Value::Array(given), Value::Array(written)) => {
            for (given, written) in given.iter().zip(written) {
                take_away_defaults(given, written);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "../tests/samples/events.rs"]
mod samples;
#[cfg(test)]
#[path = "../tests/samples/seeds.rs"]
mod seeds;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_for_every_sample_every_prefix_of_it_and_every_byte_left_out() {
        for (kind, data) in samples::SAMPLES {
            let input = format!("{kind}\n{data}");
            event_decode(input.as_bytes());
            for at in 0..input.len() {
                let (head, tail) = input.as_bytes().split_at(at);
                event_decode(head);
                event_decode(&[head, &tail[1..]].concat());
            }
        }
    }

    #[test]
    fn it_holds_for_the_seeds_of_the_fuzz_target_and_for_what_it_found() {
        let held = seeds::of("event_decode").iter().map(|seed| event_decode(seed)).count();
        assert!(held >= samples::SAMPLES.len(), "{held} seeds");
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn it_does_not_hold_where_more_is_said_than_was_read() {
        says_all(r#"{"kind":"human","x":1}"#, r#"{"kind":"human"}"#);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn it_does_not_hold_where_less_is_said_than_was_read() {
        says_all("{}", r#"{"kind":"human"}"#);
    }
}
