//! `daemon.status`, `daemon.stop`.

use super::call;
use crate::error::WireError;
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Reads how the daemon is.
    DaemonStatus, "daemon.status", NoParams => DaemonStatusReply
);
call!(
    /// Stops the daemon: answers when no prompt can be written any more, then ends what runs, then itself.
    DaemonStop, "daemon.stop", NoParams => DaemonStopReply
);

/// No parameters: `{}` or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}

/// How the daemon is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DaemonStatusReply {
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// When it started.
    pub started_at: Timestamp,
    /// Where its log, output files and socket are.
    pub home: String,
    /// Where it listens.
    pub socket: String,
    /// Its own log file.
    pub log: String,
    /// Sessions in memory.
    pub sessions_loaded: u64,
    /// Attempts and checks that run.
    pub running: u64,
    /// Why the log takes no more changes, where its database is damaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_damage: Option<WireError>,
}

/// The daemon stops.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DaemonStopReply {
    /// Its process, gone soon.
    pub pid: u32,
}
