//! `clear`.

use super::change::{Extras, ask, changed, existing};
use super::status;
use crate::server::Client;
use goald_core::Command;
use goald_schema::protocol::clear::ClearParams;
use goald_schema::protocol::status::StatusParams;
use goald_schema::protocol::target::Changed;
use goald_schema::{ErrorCode, WireError};

/// Takes a goal away. Where there is no session there is nothing to do.
pub async fn handle(client: &Client, params: ClearParams) -> Result<Changed, WireError> {
    let session = match existing(client, &params.target).await {
        Ok(session) => session,
        Err(error) if error.code == ErrorCode::NoSession => {
            let status = status::handle(client, StatusParams { target: params.target }).await?;
            return Ok(Changed { changed: false, status, warnings: Vec::new() });
        }
        Err(error) => return Err(error),
    };
    let command = Command::Clear { reference: params.reference };
    let extras = Extras { key: params.idempotency_key, ..Extras::default() };
    Ok(changed(&ask(client, &session, command, extras).await?))
}
