//! What `goal doctor` reports.

mod report;

pub use report::{Area, DaemonSeen, DoctorReport, Finding, FindingCode, Level, Recovered};
