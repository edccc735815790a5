//! Lines in, lines out.

use goald_schema::protocol::MAX_FRAME_BYTES;
use goald_schema::protocol::frame::{JsonRpc, Notification, Request, Response, RpcError};
use goald_schema::{ErrorCode, WireError, strict};
use serde::Serialize;
use serde_json::Value;
use tokio::io::AsyncRead;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};

/// Cuts what a client sends into lines of at most `longest` bytes.
pub fn lines<R: AsyncRead>(read: R, longest: usize) -> FramedRead<R, LinesCodec> {
    FramedRead::new(read, LinesCodec::new_with_max_length(longest))
}

/// Reads a request.
///
/// # Errors
/// `bad-request`.
pub fn request(line: &str) -> Result<Request, WireError> {
    strict::spoken(line).map_err(|error| {
        WireError::new(ErrorCode::BadRequest, format!("this is no JSON-RPC 2.0 request: {error}"))
            .hint("one JSON object a line: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":…,\"params\":…}")
    })
}

/// Why a line could not be read, and nothing after it can be.
pub fn unreadable(error: &LinesCodecError) -> WireError {
    match error {
        LinesCodecError::MaxLineLengthExceeded => {
            WireError::new(ErrorCode::FrameTooLong, format!("a line is longer than {MAX_FRAME_BYTES} bytes"))
                .hint("the connection is closed")
        }
        LinesCodecError::Io(error) => WireError::new(ErrorCode::BadRequest, format!("a line cannot be read: {error}"))
            .hint("lines are UTF-8; the connection is closed"),
    }
}

/// An answer as a line.
pub fn answer(id: Option<u64>, result: Result<Value, WireError>) -> String {
    let (result, error) = match result {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(RpcError::from(error))),
    };
    let line = line(&Response { jsonrpc: JsonRpc::V2, id, result, error });
    if line.len() <= MAX_FRAME_BYTES {
        return line;
    }
    let error = WireError::new(ErrorCode::FrameTooLong, "the answer is longer than a line may be");
    self::line(&Response { jsonrpc: JsonRpc::V2, id, result: None, error: Some(error.into()) })
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
