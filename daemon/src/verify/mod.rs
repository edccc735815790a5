//! Checking criteria. One file a kind of criterion: `file`, `protect`, `judge` and `human` find their place here.

pub mod command;
