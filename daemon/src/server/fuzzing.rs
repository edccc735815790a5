//! What must hold of everything that a client sends: lines, requests, the parameters of every method.

use super::connection::greeting;
use super::lines::{From, LARGE_LINES, Lines};
use super::{frame, route};
use goald_schema::protocol::frame::{Request, Response};
use goald_schema::protocol::hello::Hello;
use goald_schema::protocol::{Call, MAX_FRAME_BYTES};
use goald_schema::protocol::{agent, block, clear, complete, create, daemon, edit, list, log, output};
use goald_schema::protocol::{pause, purge, resume, rounds, say, status, wait};
use goald_schema::{ErrorCode, WireError};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A bound that short inputs reach too.
const SHORT: usize = 32;

/// Every line that comes out is within its bound. What is a request is written as one that reads the same; what fits a
/// method's parameters is written as something that fits and is the same; what is refused is refused in one line that
/// reads as an answer.
///
/// # Panics
/// If that does not hold.
pub fn socket_frame(input: &[u8]) {
    // What is there is read at once, so no time ever runs out.
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else { panic!("no runtime") };
    for longest in [SHORT, MAX_FRAME_BYTES] {
        let mut lines = Lines::of(longest, input, Arc::new(Semaphore::new(LARGE_LINES)));
        loop {
            match runtime.block_on(lines.next(From::Now)) {
                Ok(Some(line)) => {
                    assert!(line.text.len() <= longest && !line.text.contains('\n'), "{} bytes", line.text.len());
                    one(&line.text);
                }
                Ok(None) => break,
                Err(error) => {
                    refused(None, error);
                    break;
                }
            }
        }
    }
}

fn one(line: &str) {
    let request = match frame::request(line) {
        Ok(request) => request,
        Err(error) => {
            assert_eq!(error.code, ErrorCode::BadRequest);
            return refused(None, error);
        }
    };
    let Ok(written) = serde_json::to_string(&request) else { panic!("{request:?} cannot be written") };
    assert_eq!(frame::request(&written).as_ref(), Ok(&request));
    let Request { id, method, params, .. } = request;
    if let Err(error) = greeting(&method, params.clone()) {
        refused(Some(id), error);
    }
    for (name, reads) in METHODS {
        match reads(name, params.clone()) {
            Ok(read) => assert_eq!(reads(name, read.clone()), Ok(read), "{name}"),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::BadRequest);
                refused(Some(id), error);
            }
        }
    }
}

fn refused(id: Option<u64>, error: WireError) {
    let line = frame::answer(id, Err(error.clone()));
    assert!(line.len() <= MAX_FRAME_BYTES && !line.contains('\n'), "{} bytes", line.len());
    match serde_json::from_str::<Response>(&line) {
        Ok(answer) => {
            assert_eq!((answer.id, answer.result), (id, None));
            let told = answer.error.map(|error| error.data);
            let replaced = told.as_ref().is_some_and(|told| told.code == ErrorCode::FrameTooLong);
            assert!(replaced || told == Some(error), "{line}");
        }
        Err(error) => panic!("{error}: {line}"),
    }
}

/// Reads parameters as the server does and writes them again.
type Reads = fn(&str, Value) -> Result<Value, WireError>;

fn reads<C: Call>(method: &str, given: Value) -> Result<Value, WireError> {
    let read: C::Params = route::params(method, given)?;
    serde_json::to_value(read).map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))
}

const fn method<C: Call>() -> (&'static str, Reads) {
    (C::METHOD, reads::<C>)
}

/// Every method; a test ties this list to the published one.
const METHODS: &[(&str, Reads)] = &[
    method::<Hello>(),
    method::<status::GetStatus>(),
    method::<create::Create>(),
    method::<edit::Edit>(),
    method::<pause::Pause>(),
    method::<resume::Resume>(),
    method::<complete::Complete>(),
    method::<block::Block>(),
    method::<clear::Clear>(),
    method::<say::Say>(),
    method::<purge::Purge>(),
    method::<list::List>(),
    method::<log::ReadLog>(),
    method::<log::SubscribeLog>(),
    method::<rounds::Rounds>(),
    method::<output::ReadOutput>(),
    method::<output::SubscribeOutput>(),
    method::<wait::Wait>(),
    method::<agent::AgentComplete>(),
    method::<agent::AgentBlocked>(),
    method::<daemon::DaemonStatus>(),
    method::<daemon::DaemonStop>(),
];

#[cfg(test)]
mod tests;
