//! What an agent prints, read in pieces of any size: the first byte says how it is cut.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| goald_daemon::fuzzing::agent_lines(input));
