//! One file a verb, with the same name as in the protocol and in the CLI: from wire types to a command and back.

pub mod agent;
pub mod block;
pub mod change;
pub mod clear;
pub mod complete;
pub mod create;
pub mod daemon;
pub mod edit;
mod judge;
pub mod list;
pub mod log;
pub mod output;
pub mod pause;
pub mod purge;
pub mod resume;
pub mod rounds;
pub mod say;
pub mod status;
pub mod wait;
