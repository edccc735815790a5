//! The socket's other end: blocking, without a runtime.

mod reach;
mod start;

pub use start::READY;

use crate::error::CliError;
use crate::home::Places;
use goald_schema::protocol::daemon::{DaemonStop, DaemonStopReply, NoParams};
use goald_schema::protocol::frame::{FromDaemon, JsonRpc, Notification, Request, Response};
use goald_schema::protocol::hello::{Hello, HelloParams};
use goald_schema::protocol::{Call, MAX_FRAME_BYTES, PROTOCOL_VERSION};
use goald_schema::{ErrorCode, Via};
use nix::fcntl::{Flock, FlockArg};
use reach::{Unreached, unreachable};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;

/// The variable that carries a running attempt's token.
pub const TOKEN: &str = "GOALD_TOKEN";

/// Whether a daemon that does not run is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnDemand {
    /// It is, but never from inside an agent.
    Start,
    /// It is not.
    Leave,
}

/// A greeted connection.
#[derive(Debug)]
pub struct Connection {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
    next: u64,
    told: VecDeque<Notification>,
    /// How it was opened, to open it anew.
    opened: (Places, Via, OnDemand),
}

impl Connection {
    /// Connects and greets.
    ///
    /// # Errors
    /// `unreachable`, or the daemon's refusal.
    pub fn open(places: &Places, via: Via, on_demand: OnDemand) -> Result<Self, CliError> {
        let first = match reach::connect(places) {
            Ok(stream) => Self::greet(places, via, on_demand, stream),
            Err(Unreached::Absent(error)) => Err(error),
            Err(Unreached::Kept(error)) => return Err(error),
        };
        match first {
            // Nobody there, or one that hung up before its greeting, because it was on its way out.
            Err(error) if on_demand == OnDemand::Start && error.0.code == ErrorCode::Unreachable => {
                start::daemon(places)?;
                Self::greet(places, via, on_demand, reach::connect(places).map_err(Unreached::into_error)?)
            }
            greeted => greeted,
        }
    }

    fn greet(places: &Places, via: Via, on_demand: OnDemand, stream: UnixStream) -> Result<Self, CliError> {
        let writer = stream.try_clone().map_err(|error| unreachable(places, &error))?;
        let mut connection = Self {
            reader: BufReader::new(stream),
            writer,
            next: 1,
            told: VecDeque::new(),
            opened: (places.clone(), via, on_demand),
        };
        let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
        connection.call::<Hello>(&HelloParams { version: PROTOCOL_VERSION, via, token })?;
        Ok(connection)
    }

    /// Calls a method and waits for its reply.
    ///
    /// # Errors
    /// The daemon's refusal, or `unreachable` where the connection broke.
    pub fn call<C: Call>(&mut self, params: &C::Params) -> Result<C::Reply, CliError> {
        let id = self.send::<C>(params)?;
        loop {
            match self.receive()? {
                FromDaemon::Notification(told) => self.told.push_back(told),
                FromDaemon::Response(response) if response.id.is_none_or(|of| of == id) => return reply::<C>(response),
                FromDaemon::Response(_) => return Err(broken("an answer to a question that was not asked")),
            }
        }
    }

    /// Calls a method that changes something, its parameters carrying an idempotency key. Where the conversation breaks off
    /// before the answer, it is asked once more: what was granted already is answered as granted, and not done twice.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn change<C: Call>(&mut self, params: &C::Params) -> Result<C::Reply, CliError> {
        match self.call::<C>(params) {
            Err(error) if error.0.code == ErrorCode::Unreachable => {
                let (places, via, on_demand) = self.opened.clone();
                *self = Self::open(&places, via, on_demand)?;
                self.call::<C>(params)
            }
            answer => answer,
        }
    }

    /// Waits for the next notification of a subscription; none when the daemon has gone.
    ///
    /// # Errors
    /// `unreachable` where what comes cannot be read.
    pub fn told(&mut self) -> Result<Option<Notification>, CliError> {
        if let Some(told) = self.told.pop_front() {
            return Ok(Some(told));
        }
        loop {
            let Some(line) = self.line()? else { return Ok(None) };
            if let FromDaemon::Notification(told) = frame(&line)? {
                return Ok(Some(told));
            }
        }
    }

    /// Stops the daemon, and returns when nothing of it is left: it gives its lock back last of all.
    ///
    /// # Errors
    /// The daemon's refusal, or that its lock cannot be waited for.
    pub fn stop(mut self, places: &Places) -> Result<DaemonStopReply, CliError> {
        let reply = self.call::<DaemonStop>(&NoParams {})?;
        let path = places.state.join("goald.lock");
        let failed = |what: String| broken(&format!("{}: {what}", path.display()));
        let file = std::fs::File::open(&path).map_err(|error| failed(error.to_string()))?;
        Flock::lock(file, FlockArg::LockShared).map_err(|(_, error)| failed(error.to_string()))?;
        Ok(reply)
    }

    fn send<C: Call>(&mut self, params: &C::Params) -> Result<u64, CliError> {
        let id = self.next;
        self.next += 1;
        let params = serde_json::to_value(params).map_err(|error| broken(&error.to_string()))?;
        let request = Request { jsonrpc: JsonRpc::V2, id, method: C::METHOD.to_owned(), params };
        let mut line = serde_json::to_string(&request).map_err(|error| broken(&error.to_string()))?;
        if line.len() > MAX_FRAME_BYTES {
            return Err(CliError::new(ErrorCode::FrameTooLong, "the request is longer than a line may be")
                .hint("is the environment, or the text, very large?"));
        }
        line.push('\n');
        self.writer.write_all(line.as_bytes()).map_err(|error| broken(&error.to_string()))?;
        Ok(id)
    }

    fn receive(&mut self) -> Result<FromDaemon, CliError> {
        let line = self.line()?.ok_or_else(|| broken("the daemon closed the connection"))?;
        frame(&line)
    }

    fn line(&mut self) -> Result<Option<String>, CliError> {
        let mut bytes = Vec::new();
        let most = u64::try_from(MAX_FRAME_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        let read = self.reader.by_ref().take(most).read_until(b'\n', &mut bytes);
        match read {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(None),
            Err(error) => return Err(broken(&error.to_string())),
        }
        if bytes.pop() != Some(b'\n') {
            return Err(broken("a line was cut, or is longer than it may be"));
        }
        String::from_utf8(bytes).map(Some).map_err(|_| broken("a line is not UTF-8"))
    }
}

fn frame(line: &str) -> Result<FromDaemon, CliError> {
    serde_json::from_str(line).map_err(|error| broken(&format!("a line cannot be read: {error}")))
}

fn reply<C: Call>(response: Response) -> Result<C::Reply, CliError> {
    if let Some(error) = response.error {
        return Err(error.data.into());
    }
    let result = response.result.unwrap_or_default();
    serde_json::from_value(result)
        .map_err(|error| broken(&format!("the reply to {} cannot be read: {error}", C::METHOD)))
}

fn broken(what: &str) -> CliError {
    CliError::new(ErrorCode::Unreachable, format!("the conversation with the daemon broke off: {what}"))
        .hint("goal daemon status; goal daemon logs")
}

#[cfg(test)]
mod tests;
