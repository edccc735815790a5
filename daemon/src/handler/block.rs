//! `block`.

use super::change::{Extras, ask, changed, existing};
use crate::server::Client;
use goald_core::Command;
use goald_schema::WireError;
use goald_schema::protocol::block::BlockParams;
use goald_schema::protocol::target::Changed;

/// Blocks a goal on a human's word.
pub async fn handle(client: &Client, params: BlockParams) -> Result<Changed, WireError> {
    let session = existing(client, &params.target).await?;
    let command = Command::Block { reference: params.reference, code: params.code, message: params.message };
    let extras = Extras { key: params.idempotency_key, ..Extras::default() };
    Ok(changed(&ask(client, &session, command, extras).await?))
}
