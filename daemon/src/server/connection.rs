//! One connection: `hello` first, then requests in order. Subscriptions and waits run beside them and end with it.

use super::{Service, frame, route};
use crate::crash::{self, Place};
use crate::peer::{Found, Peer};
use futures_util::{SinkExt, StreamExt};
use goald_schema::actor::{Actor, Via};
use goald_schema::id::SessionId;
use goald_schema::protocol::daemon::DaemonStop;
use goald_schema::protocol::hello::{Hello, HelloParams, HelloReply};
use goald_schema::protocol::{Call, MAX_FRAME_BYTES, PROTOCOL_VERSION};
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec};

/// How many lines may wait for a slow reader before whoever writes them has to wait too.
const OUTBOX: usize = 64;

/// A line on its way out.
struct Out {
    line: String,
    written: Option<oneshot::Sender<()>>,
}

impl Out {
    fn line(line: String) -> Self {
        Self { line, written: None }
    }
}

/// A greeted client, as handlers see it.
#[derive(Clone)]
pub struct Client {
    /// What the daemon has.
    pub service: Arc<Service>,
    peer: Peer,
    via: Via,
    token: Option<String>,
    outbox: mpsc::Sender<Out>,
}

impl Client {
    /// By which door it came.
    pub fn via(&self) -> Via {
        self.via
    }

    /// Who it is right now, for a request to this session.
    pub fn actor(&self, session: Option<SessionId>) -> Actor {
        self.found(session).actor
    }

    /// The session whose attempt it belongs to, by its token or its process; also of an attempt that has ended.
    pub fn belongs(&self) -> Option<SessionId> {
        self.found(None).belongs
    }

    fn found(&self, session: Option<SessionId>) -> Found {
        self.peer.found(self.via, self.token.as_deref(), session, &self.service.shared.tokens)
    }

    /// Waits until it is gone.
    pub async fn gone(&self) {
        self.outbox.closed().await;
    }

    /// Tells it something; `false` once it is gone.
    pub async fn notify(&self, method: &str, params: serde_json::Value) -> bool {
        self.outbox.send(Out::line(frame::notification(method, params))).await.is_ok()
    }
}

/// Serves one connection to its end.
pub async fn run(service: Arc<Service>, stream: UnixStream, peer: Result<Peer, WireError>) {
    let (read, write) = stream.into_split();
    let mut lines = frame::lines(read, MAX_FRAME_BYTES);
    let mut write = FramedWrite::new(write, LinesCodec::new());
    let (outbox, mut waiting) = mpsc::channel::<Out>(OUTBOX);
    let writer = tokio::spawn(async move {
        while let Some(Out { line, written }) = waiting.recv().await {
            crash::at(Place::AnswerUnwritten);
            if write.send(line).await.is_err() {
                return;
            }
            crash::at(Place::AnswerWritten);
            // Whoever wanted to know may be gone.
            written.map(|written| written.send(()));
        }
    });
    let mut beside = JoinSet::new();
    let ended = converse(service, peer, &mut lines, outbox.clone(), &mut beside).await;
    if let Err((id, error)) = ended {
        // The last word; a peer that is gone does not hear it.
        drop(outbox.send(Out::line(frame::answer(id, Err(error)))).await);
    }
    beside.abort_all();
    while beside.join_next().await.is_some() {}
    drop(outbox);
    drop(writer.await);
}

type Lines = FramedRead<tokio::net::unix::OwnedReadHalf, LinesCodec>;
/// Why a connection is closed: the request's id, if it had one, and the error.
type LastWord = (Option<u64>, WireError);

async fn converse(
    service: Arc<Service>,
    peer: Result<Peer, WireError>,
    lines: &mut Lines,
    outbox: mpsc::Sender<Out>,
    beside: &mut JoinSet<()>,
) -> Result<(), LastWord> {
    let Some(line) = next(lines).await? else { return Ok(()) };
    let request = frame::request(&line).map_err(|error| (None, error))?;
    let peer = peer.map_err(|error| (Some(request.id), error))?;
    let params = greeting(&request.method, request.params).map_err(|error| (Some(request.id), error))?;
    let client = Client { service, peer, via: params.via, token: params.token, outbox };
    let reply = HelloReply {
        version: PROTOCOL_VERSION,
        daemon: env!("CARGO_PKG_VERSION").to_owned(),
        actor: client.actor(None),
    };
    if !say(&client, request.id, serde_json::to_value(reply).map_err(unwritable)).await {
        return Ok(());
    }
    while let Some(line) = next(lines).await? {
        let request = match frame::request(&line) {
            Ok(request) => request,
            Err(error) => {
                if client.outbox.send(Out::line(frame::answer(None, Err(error)))).await.is_err() {
                    return Ok(());
                }
                continue;
            }
        };
        if route::runs_beside(&request.method) {
            let client = client.clone();
            beside.spawn(async move {
                let result = route::call(&client, &request.method, request.params).await;
                say(&client, request.id, result).await;
            });
        } else {
            let result = route::call(&client, &request.method, request.params).await;
            let stops = request.method == DaemonStop::METHOD && result.is_ok();
            if stops {
                // The daemon ends only after its answer is out; the connection then ends with the daemon.
                say_and_wait(&client, request.id, result).await;
                crash::at(Place::StopAnswered);
                client.service.shutdown.request();
            } else if !say(&client, request.id, result).await {
                return Ok(());
            }
        }
        while beside.try_join_next().is_some() {}
    }
    Ok(())
}

async fn next(lines: &mut Lines) -> Result<Option<String>, LastWord> {
    match lines.next().await {
        None => Ok(None),
        Some(Ok(line)) => Ok(Some(line)),
        Some(Err(error)) => Err((None, frame::unreadable(&error))),
    }
}

async fn say(client: &Client, id: u64, result: Result<serde_json::Value, WireError>) -> bool {
    client.outbox.send(Out::line(frame::answer(Some(id), result))).await.is_ok()
}

async fn say_and_wait(client: &Client, id: u64, result: Result<serde_json::Value, WireError>) {
    let (written, is_written) = oneshot::channel();
    let out = Out { line: frame::answer(Some(id), result), written: Some(written) };
    if client.outbox.send(out).await.is_ok() {
        // A peer that is gone hears nothing, and is not waited for.
        drop(is_written.await);
    }
}

pub(super) fn greeting(method: &str, params: serde_json::Value) -> Result<HelloParams, WireError> {
    let unsupported = |message: String| {
        WireError::new(ErrorCode::UnsupportedVersion, message)
            .hint(format!("greet first: hello with version {PROTOCOL_VERSION}"))
    };
    if method != Hello::METHOD {
        return Err(unsupported(format!("the first request is hello, not {method:?}")));
    }
    // The version is looked at before the rest: another version may have other parameters.
    let version = params.get("version").and_then(serde_json::Value::as_u64);
    if version != Some(u64::from(PROTOCOL_VERSION)) {
        return Err(unsupported(format!("this daemon speaks protocol version {PROTOCOL_VERSION}")));
    }
    let params: HelloParams = route::params(Hello::METHOD, params)?;
    match params.via {
        Via::Cli | Via::Mcp | Via::Hook => Ok(params),
        Via::Timer | Via::Daemon => Err(WireError::new(ErrorCode::BadRequest, "a client comes by cli, mcp or hook")),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "handed to map_err")]
fn unwritable(error: serde_json::Error) -> WireError {
    WireError::new(ErrorCode::Internal, format!("the answer cannot be written: {error}"))
}
