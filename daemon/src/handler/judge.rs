//! What is no session's business, as stopping the daemon or purging everything: a person's alone.

use super::change::{Extras, ask};
use crate::server::Client;
use goald_core::Command;
use goald_core::authority::{Role, permits};
use goald_schema::actor::Actor;
use goald_schema::event::Operation;
use goald_schema::{ErrorCode, WireError};

/// Lets a person through. The refusal of anybody else is on record in the session it belongs to, where that can be told.
///
/// # Errors
/// `not-permitted`.
pub async fn person_only(client: &Client, operation: Operation) -> Result<(), WireError> {
    let actor = client.actor(None);
    if actor == Actor::Human {
        return Ok(());
    }
    tracing::warn!(?actor, ?operation, "refused: a person's business alone");
    if let Some(session) = client.belongs()
        && let Ok(session) = client.service.registry.get(session).await
    {
        ask(client, &session, Command::Judge(operation), Extras::default()).await?;
    }
    let role = match actor {
        Actor::Other { why } => Role::Other(why),
        // Whatever its turn, no agent does this.
        _ => Role::AgentInRound,
    };
    let why = permits(role, operation).err().unwrap_or_default();
    Err(WireError::new(ErrorCode::NotPermitted, why).hint("a person can do this from a terminal of their own"))
}
