//! `say`.

use super::change::{Extras, MESSAGE_BYTES, ask, changed, existing, thresholds};
use super::create::{opened_by, place};
use crate::fresh;
use crate::server::Client;
use crate::store::Blob;
use goald_core::Command;
use goald_core::command::SayWhen;
use goald_schema::actor::Actor;
use goald_schema::id::MessageId;
use goald_schema::protocol::say::SayParams;
use goald_schema::protocol::target::{Changed, Target};
use goald_schema::{ErrorCode, WireError};

/// Queues a message, and fences what runs if it is to be heard now; a human may open the session by it.
pub async fn handle(client: &Client, params: SayParams) -> Result<Changed, WireError> {
    let text = params.text.trim();
    if text.is_empty() {
        return Err(WireError::new(ErrorCode::EmptyText, "the message is empty").hint("goal say TEXT"));
    }
    if text.len() > MESSAGE_BYTES {
        return Err(WireError::new(ErrorCode::TextTooLong, format!("the message has {} bytes", text.len()))
            .hint(format!("at most {MESSAGE_BYTES}; write it into a file and name it")));
    }
    // Held to the end: a session that is not opened then, is given up.
    let (session, open, _prepared) = match &params.target {
        Target::Place { workspace, name } if client.actor(None) == Actor::Human => {
            let place = place(workspace, name)?;
            let registry = &client.service.registry;
            let before = match registry.find(&place)? {
                Some(id) => registry.get(id).await?.view().borrow().opened.clone(),
                None => None,
            };
            // The agent only opens a session: one that is open keeps its own.
            let agent = if before.is_some() { None } else { params.agent.as_deref() };
            let open = opened_by(client, place.clone(), agent, before.as_ref(), &params.caller)?;
            let prepared = registry.find_or_prepare(place).await?;
            (prepared.session.clone(), open, Some(prepared))
        }
        target => {
            let session = existing(client, target).await?;
            let opened = session.view().borrow().opened.clone();
            let opened = opened.ok_or_else(|| WireError::new(ErrorCode::NoSession, "the session is not open"))?;
            (session, opened, None)
        }
    };
    let blob = Blob::new(text.as_bytes().to_vec());
    let when = if params.now { SayWhen::Now } else { SayWhen::Next };
    let message = MessageId::from_uuid(fresh::uuid());
    let command = Command::Say { message, text: blob.hash.clone(), when, open };
    let extras = Extras {
        key: params.idempotency_key,
        environment: Some(params.caller.environment),
        blobs: vec![blob],
        thresholds: Some(thresholds(&client.service.shared.config()?)),
    };
    Ok(changed(&ask(client, &session, command, extras).await?))
}
