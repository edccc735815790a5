//! From protocol types to text for people. Pure: prints nothing, asks nobody. Text from agents and people is escaped.

pub mod change;
pub mod doctor;
pub mod escape;
pub mod list;
pub mod log;
pub mod progress;
pub mod purge;
pub mod recovery;
pub mod rounds;
pub mod status;
pub mod style;
pub mod time;
