//! `complete`.

use super::change::{Extras, ask, changed, existing};
use crate::server::Client;
use goald_core::Command;
use goald_schema::WireError;
use goald_schema::protocol::complete::CompleteParams;
use goald_schema::protocol::target::Changed;

/// Completes a goal on a human's word.
pub async fn handle(client: &Client, params: CompleteParams) -> Result<Changed, WireError> {
    let session = existing(client, &params.target).await?;
    let command = Command::Complete { reference: params.reference };
    let extras = Extras { key: params.idempotency_key, ..Extras::default() };
    Ok(changed(&ask(client, &session, command, extras).await?))
}
