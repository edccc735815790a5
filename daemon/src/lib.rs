//! The shell around the rules: store, session task, agents, guard, verification, server.
//!
//! This crate owns every effect of the daemon. It prints nothing on a terminal and reads no environment of its own:
//! whoever starts it says where things are ([`home::Home`]).

pub mod agent;
pub mod attempt;
pub mod guard;
pub mod home;
pub mod process;
pub mod verify;
