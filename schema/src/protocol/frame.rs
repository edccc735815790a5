//! JSON-RPC 2.0 frames. A notification is a request without id, sent by the daemon to a subscriber.

use crate::error::WireError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The literal `"2.0"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub enum JsonRpc {
    /// The only version there is.
    #[default]
    #[serde(rename = "2.0")]
    V2,
}

/// A request of a client.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// `"2.0"`.
    pub jsonrpc: JsonRpc,
    /// Chosen by the client, repeated in the answer.
    pub id: u64,
    /// The method.
    pub method: String,
    /// Its parameters.
    #[serde(default)]
    pub params: Value,
}

/// An answer of the daemon: exactly one of `result` and `error`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// `"2.0"`.
    pub jsonrpc: JsonRpc,
    /// The request's; absent where the request could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RpcError>,
}

/// A JSON-RPC error: its numeric code is always [`RpcError::NUMBER`]; goald's own error is in `data`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RpcError {
    /// JSON-RPC wants a number.
    pub code: i64,
    /// What is wrong.
    pub message: String,
    /// Code, message and hint.
    pub data: WireError,
}

impl RpcError {
    /// "Server error" in JSON-RPC's list. The stable code is `data.code`.
    pub const NUMBER: i64 = -32_000;
}

impl From<WireError> for RpcError {
    fn from(data: WireError) -> Self {
        Self { code: Self::NUMBER, message: data.message.clone(), data }
    }
}

/// Something that a subscriber is told.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notification {
    /// `"2.0"`.
    pub jsonrpc: JsonRpc,
    /// What kind: see `log` and `output`.
    pub method: String,
    /// What.
    pub params: Value,
}

/// Anything that the daemon sends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FromDaemon {
    /// Told to a subscriber.
    Notification(Notification),
    /// An answer.
    Response(Response),
}
