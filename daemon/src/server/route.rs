//! From a method's name to its handler.

use super::connection::Client;
use crate::handler;
use goald_schema::protocol::{Call, agent, block, clear, complete, create, daemon, edit, list, log, output};
use goald_schema::protocol::{pause, resume, rounds, say, status, wait};
use goald_schema::{ErrorCode, WireError};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::{Future, ready};

/// Methods that may take as long as a goal does: they must not keep later requests of their connection waiting.
pub fn runs_beside(method: &str) -> bool {
    [wait::Wait::METHOD, log::SubscribeLog::METHOD, output::SubscribeOutput::METHOD].contains(&method)
}

/// Calls a method.
///
/// # Errors
/// `unknown-method`, `bad-request`, or the handler's own.
pub async fn call(client: &Client, method: &str, given: Value) -> Result<Value, WireError> {
    use handler as h;
    match method {
        status::GetStatus::METHOD => with::<status::GetStatus, _>(given, |p| h::status::handle(client, p)).await,
        create::Create::METHOD => with::<create::Create, _>(given, |p| h::create::handle(client, p)).await,
        edit::Edit::METHOD => with::<edit::Edit, _>(given, |p| h::edit::handle(client, p)).await,
        pause::Pause::METHOD => with::<pause::Pause, _>(given, |p| h::pause::handle(client, p)).await,
        resume::Resume::METHOD => with::<resume::Resume, _>(given, |p| h::resume::handle(client, p)).await,
        complete::Complete::METHOD => with::<complete::Complete, _>(given, |p| h::complete::handle(client, p)).await,
        block::Block::METHOD => with::<block::Block, _>(given, |p| h::block::handle(client, p)).await,
        clear::Clear::METHOD => with::<clear::Clear, _>(given, |p| h::clear::handle(client, p)).await,
        say::Say::METHOD => with::<say::Say, _>(given, |p| h::say::handle(client, p)).await,
        list::List::METHOD => with::<list::List, _>(given, |p| h::list::handle(client, p)).await,
        log::ReadLog::METHOD => with::<log::ReadLog, _>(given, |p| h::log::read(client, p)).await,
        log::SubscribeLog::METHOD => with::<log::SubscribeLog, _>(given, |p| h::log::subscribe(client, p)).await,
        rounds::Rounds::METHOD => with::<rounds::Rounds, _>(given, |p| h::rounds::handle(client, p)).await,
        output::ReadOutput::METHOD => with::<output::ReadOutput, _>(given, |p| h::output::read(client, p)).await,
        output::SubscribeOutput::METHOD => {
            with::<output::SubscribeOutput, _>(given, |p| h::output::subscribe(client, p)).await
        }
        wait::Wait::METHOD => with::<wait::Wait, _>(given, |p| h::wait::handle(client, p)).await,
        agent::AgentComplete::METHOD => with::<agent::AgentComplete, _>(given, |p| h::agent::complete(client, p)).await,
        agent::AgentBlocked::METHOD => with::<agent::AgentBlocked, _>(given, |p| h::agent::blocked(client, p)).await,
        daemon::DaemonStatus::METHOD => {
            with::<daemon::DaemonStatus, _>(given, |p| ready(h::daemon::status(client, p))).await
        }
        daemon::DaemonStop::METHOD => with::<daemon::DaemonStop, _>(given, |p| h::daemon::stop(client, p)).await,
        _ => Err(WireError::new(ErrorCode::UnknownMethod, format!("there is no method {method:?}"))
            .hint("docs/protocol.md lists the methods")),
    }
}

async fn with<C: Call, F>(given: Value, handle: impl FnOnce(C::Params) -> F) -> Result<Value, WireError>
where
    F: Future<Output = Result<C::Reply, WireError>>,
{
    let reply = handle(params(C::METHOD, given)?).await?;
    serde_json::to_value(reply)
        .map_err(|error| WireError::new(ErrorCode::Internal, format!("the answer cannot be written: {error}")))
}

/// Reads a method's parameters strictly; none at all are an empty object.
pub fn params<P: DeserializeOwned>(method: &str, given: Value) -> Result<P, WireError> {
    let given = if given.is_null() { Value::Object(serde_json::Map::new()) } else { given };
    serde_json::from_value(given).map_err(|error| {
        WireError::new(ErrorCode::BadRequest, format!("the parameters of {method} do not fit: {error}"))
            .hint("schema/json/protocol.json describes them")
    })
}
