//! The socket protocol: JSON-RPC 2.0, one JSON object a line (`docs/protocol.md`).
//!
//! One file a verb, with the same name as its handler in the daemon and its verb in the CLI. [`Call`] ties a method's
//! name to the types of its parameters and its reply.

pub mod agent;
pub mod block;
pub mod clear;
pub mod complete;
pub mod create;
pub mod daemon;
pub mod edit;
pub mod frame;
pub mod hello;
pub mod list;
pub mod log;
pub mod output;
pub mod pause;
pub mod purge;
pub mod resume;
pub mod rounds;
pub mod say;
pub mod status;
pub mod target;
pub mod wait;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of the protocol, named in `hello`.
pub const PROTOCOL_VERSION: u32 = 1;

/// The longest line in either direction, in bytes, without its newline.
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// A method of the protocol.
pub trait Call {
    /// Its name on the wire.
    const METHOD: &'static str;
    /// Its parameters.
    type Params: Serialize + DeserializeOwned;
    /// Its reply.
    type Reply: Serialize + DeserializeOwned;
}

macro_rules! call {
    ($(#[$doc:meta])* $name:ident, $method:literal, $params:ty => $reply:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl $crate::protocol::Call for $name {
            const METHOD: &'static str = $method;
            type Params = $params;
            type Reply = $reply;
        }
    };
}
pub(crate) use call;
