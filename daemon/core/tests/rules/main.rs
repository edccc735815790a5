//! The rules, proved from outside: a literal table, named cases, random histories. Nothing here knows how the core works
//! inside; it sends commands, carries out steps and reads events.
#![expect(clippy::expect_used, reason = "a test may panic")]

mod driver;
mod fixture;
mod model;
mod session;
mod sizes;
mod table;
