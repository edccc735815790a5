//! One connection: `hello` first, then requests in order. Subscriptions and waits run beside them and end with it.

use super::lines::{From, Lines, PATIENCE};
use super::outbox::Outbox;
use super::{Service, frame, route};
use crate::peer::Peer;
use goald_schema::actor::{Actor, Via};
use goald_schema::id::SessionId;
use goald_schema::protocol::daemon::DaemonStop;
use goald_schema::protocol::hello::{Hello, HelloParams, HelloReply};
use goald_schema::protocol::{Call, PROTOCOL_VERSION};
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;
use tokio::net::UnixStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

/// How many waits and subscriptions one connection may have.
const BESIDE: usize = 64;

/// A greeted client, as handlers see it.
#[derive(Clone)]
pub struct Client {
    /// What the daemon has.
    pub service: Arc<Service>,
    peer: Peer,
    via: Via,
    token: Option<String>,
    outbox: Outbox,
    /// What a wait or a subscription holds for as long as it lasts.
    _beside: Option<Arc<OwnedSemaphorePermit>>,
}

impl Client {
    /// By which door it came.
    pub fn via(&self) -> Via {
        self.via
    }

    /// Who it is right now, for a request to this session.
    pub fn actor(&self, session: Option<SessionId>) -> Actor {
        self.peer.actor(self.via, self.token.as_deref(), session, &self.service.shared.tokens)
    }

    /// The session of the attempt whose token it showed.
    pub fn token_session(&self) -> Option<SessionId> {
        let tokens = &self.service.shared.tokens;
        self.token.as_deref().and_then(|token| tokens.attempt(token)).map(|(session, _)| session)
    }

    /// Waits until it is gone.
    pub async fn gone(&self) {
        self.outbox.closed().await;
    }

    /// Tells it something; `false` once it is gone.
    pub async fn notify(&self, method: &str, params: serde_json::Value) -> bool {
        self.outbox.send(frame::notification(method, params)).await
    }
}

/// Serves one connection to its end.
pub async fn run(service: Arc<Service>, stream: UnixStream, peer: Result<Peer, WireError>) {
    let (read, write) = stream.into_split();
    let mut lines = Lines::new(read, Arc::clone(&service.large));
    let (outbox, mut writer) = Outbox::new(write);
    let mut beside = JoinSet::new();
    let ended = converse(service, peer, &mut lines, outbox.clone(), &mut beside).await;
    if let Err((id, error)) = ended {
        // The last word; a peer that does not read does not hear it.
        outbox.send_and_wait(frame::answer(id, Err(error))).await;
    }
    beside.abort_all();
    while beside.join_next().await.is_some() {}
    outbox.close();
    drop(outbox);
    if tokio::time::timeout(PATIENCE, &mut writer).await.is_err() {
        // It asked and went away without reading.
        writer.abort();
    }
}

/// Why a connection is closed: the request's id, if it had one, and the error.
type LastWord = (Option<u64>, WireError);

async fn converse(
    service: Arc<Service>,
    peer: Result<Peer, WireError>,
    lines: &mut Lines,
    outbox: Outbox,
    beside: &mut JoinSet<()>,
) -> Result<(), LastWord> {
    let Some(line) = lines.next(From::Now).await.map_err(anonymous)? else { return Ok(()) };
    let request = frame::request(&line.text).map_err(anonymous)?;
    drop(line);
    let peer = peer.map_err(|error| (Some(request.id), error))?;
    let params = greeting(&request.method, request.params).map_err(|error| (Some(request.id), error))?;
    let client = Client { service, peer, via: params.via, token: params.token, outbox, _beside: None };
    let reply = HelloReply {
        version: PROTOCOL_VERSION,
        daemon: env!("CARGO_PKG_VERSION").to_owned(),
        actor: client.actor(client.token_session()),
    };
    if !say(&client, request.id, serde_json::to_value(reply).map_err(unwritable)).await {
        return Ok(());
    }
    let places = Arc::new(Semaphore::new(BESIDE));
    while let Some(line) = lines.next(From::FirstByte).await.map_err(anonymous)? {
        let said = match frame::request(&line.text) {
            Err(error) => client.outbox.send(frame::answer(None, Err(error))).await,
            Ok(request) if route::runs_beside(&request.method) => match Arc::clone(&places).try_acquire_owned() {
                Ok(place) => {
                    let client = Client { _beside: Some(Arc::new(place)), ..client.clone() };
                    beside.spawn(async move {
                        let result = route::call(&client, &request.method, request.params).await;
                        say(&client, request.id, result).await;
                    });
                    true
                }
                Err(_) => say(&client, request.id, Err(too_many())).await,
            },
            Ok(request) => {
                let result = route::call(&client, &request.method, request.params).await;
                let stops = request.method == DaemonStop::METHOD && result.is_ok();
                if stops {
                    // The daemon ends only after its answer is out; the connection then ends with the daemon.
                    client.outbox.send_and_wait(frame::answer(Some(request.id), result)).await;
                    client.service.shutdown.request();
                    true
                } else {
                    say(&client, request.id, result).await
                }
            }
        };
        if !said {
            return Ok(());
        }
        while beside.try_join_next().is_some() {}
    }
    Ok(())
}

fn anonymous(error: WireError) -> LastWord {
    (None, error)
}

async fn say(client: &Client, id: u64, result: Result<serde_json::Value, WireError>) -> bool {
    client.outbox.send(frame::answer(Some(id), result)).await
}

fn too_many() -> WireError {
    WireError::new(ErrorCode::TooMany, format!("this connection has {BESIDE} waits and subscriptions already"))
        .hint("use another connection, or wait for several sessions at once")
}

fn greeting(method: &str, params: serde_json::Value) -> Result<HelloParams, WireError> {
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
