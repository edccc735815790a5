//! Checking criteria. One file a kind; what the results mean is the core's business.

pub mod command;
