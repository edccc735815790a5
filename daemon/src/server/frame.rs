//! Lines in, lines out.

use goald_schema::protocol::MAX_FRAME_BYTES;
use goald_schema::protocol::frame::{JsonRpc, Notification, Request, Response, RpcError};
use goald_schema::{ErrorCode, WireError};
use serde::Serialize;
use serde_json::Value;

/// At most this many objects and arrays a request.
const MAX_NESTED: usize = 10_000;
/// The longest message of an error that is sent, in bytes: what is wrong may be as long as a line.
const MESSAGE_BYTES: usize = 1024;

/// Reads a request.
///
/// # Errors
/// `bad-request`.
pub fn request(line: &str) -> Result<Request, WireError> {
    if nested(line) > MAX_NESTED {
        // In memory an empty object is hundreds of times as long as on the line.
        let message = format!("a request has more than {MAX_NESTED} objects and arrays");
        return Err(WireError::new(ErrorCode::BadRequest, message).hint("send less at once"));
    }
    serde_json::from_str(line).map_err(|error| {
        WireError::new(ErrorCode::BadRequest, format!("this is no JSON-RPC 2.0 request: {error}"))
            .hint("one JSON object a line: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":…,\"params\":…}")
    })
}

/// How many objects and arrays there are, outside of texts.
fn nested(line: &str) -> usize {
    let (mut inside, mut escaped, mut count) = (false, false, 0_usize);
    for byte in line.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b'{' | b'[' if !inside => count += 1,
            _ => {}
        }
    }
    count
}

/// An answer as a line.
pub fn answer(id: Option<u64>, result: Result<Value, WireError>) -> String {
    let (result, error) = match result {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(RpcError::from(bounded(error)))),
    };
    let line = line(&Response { jsonrpc: JsonRpc::V2, id, result, error });
    if line.len() <= MAX_FRAME_BYTES {
        return line;
    }
    let error = WireError::new(ErrorCode::FrameTooLong, "the answer is longer than a line may be");
    self::line(&Response { jsonrpc: JsonRpc::V2, id, result: None, error: Some(error.into()) })
}

fn bounded(mut error: WireError) -> WireError {
    if error.message.len() > MESSAGE_BYTES {
        let end = error.message.floor_char_boundary(MESSAGE_BYTES);
        error.message.truncate(end);
        error.message.push('…');
    }
    error
}

/// A notification as a line.
pub fn notification(method: &str, params: Value) -> String {
    line(&Notification { jsonrpc: JsonRpc::V2, method: method.to_owned(), params })
}

fn line(frame: &impl Serialize) -> String {
    serde_json::to_string(frame).unwrap_or_else(|error| {
        // No frame holds anything that JSON cannot say; if one did, this is still one line of JSON.
        format!("{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32603,\"message\":{:?}}}}}", error.to_string())
    })
}
