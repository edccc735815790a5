//! `log`, `log.subscribe`, and the notification `log.event`.

use super::call;
use crate::event::EventRecord;
use crate::number::Position;
use crate::protocol::target::Target;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

call!(
    /// Reads events, a page at a time.
    ReadLog, "log", LogParams => LogReply
);
call!(
    /// Streams events as `log.event`, from a position on, and misses none.
    SubscribeLog, "log.subscribe", SubscribeLogParams => Subscribed
);

/// The notification that carries one [`EventRecord`].
pub const LOG_EVENT: &str = "log.event";
/// The notification that says that a subscription ended with a [`crate::WireError`].
pub const LOG_END: &str = "log.end";

/// Parameters of `log`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogParams {
    /// Which session; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// Only events after this position; 0 for all.
    pub after: Position,
}

/// A page of events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogReply {
    /// The events, in order.
    pub events: Vec<EventRecord>,
    /// Read on after this position; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Position>,
}

/// Parameters of `log.subscribe`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubscribeLogParams {
    /// Which session; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// Only events after this position; 0 for all.
    pub after: Position,
}

/// A subscription has begun. It ends with its connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Subscribed {}
