//! A `config.toml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| goald_daemon::fuzzing::config(input));
