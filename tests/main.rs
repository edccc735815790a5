//! End-to-end tests: the real binary, real SQLite, real processes, in a sealed home. One module a subject.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may panic; clippy does not see that all of this is tests"
)]
#![expect(clippy::needless_pass_by_value, reason = "json!(…) reads better without a reference")]

mod harness;

mod agents;
mod authority;
mod completions;
mod crash;
mod daemon;
mod damage;
mod demo;
mod doctor;
mod faces;
mod following;
mod house;
mod interrupting;
mod limits;
mod long_home;
mod mcp;
mod messages;
mod own_log;
mod private;
mod purge;
mod redaction;
mod rounds;
mod schema;
mod sharing;
mod socket;
mod stopping;
mod stored_formats;
mod trials;
