//! A stored event: its type on the first line, then its data.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| goald_schema::fuzzing::event_decode(input));
