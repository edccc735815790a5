//! What a client sends over the socket: lines, requests, and the parameters of every method.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| goald_daemon::fuzzing::socket_frame(input));
