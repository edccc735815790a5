//! `pause`.

use super::change::{Extras, ask, changed, existing};
use crate::server::Client;
use goald_core::Command;
use goald_schema::WireError;
use goald_schema::protocol::pause::PauseParams;
use goald_schema::protocol::target::Changed;

/// Stops a goal or a message turn.
pub async fn handle(client: &Client, params: PauseParams) -> Result<Changed, WireError> {
    let session = existing(client, &params.target).await?;
    let command = Command::Pause { reference: params.reference, when: params.when };
    let extras = Extras { key: params.idempotency_key, ..Extras::default() };
    Ok(changed(&ask(client, &session, command, extras).await?))
}
