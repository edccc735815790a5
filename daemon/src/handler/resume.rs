//! `resume`.

use super::change::{Extras, ask, changed, existing};
use crate::server::Client;
use goald_core::Command;
use goald_schema::WireError;
use goald_schema::protocol::resume::ResumeParams;
use goald_schema::protocol::target::Changed;

/// Lets rounds start again.
pub async fn handle(client: &Client, params: ResumeParams) -> Result<Changed, WireError> {
    let session = existing(client, &params.target).await?;
    let command = Command::Resume { reference: params.reference };
    let extras = Extras {
        key: params.idempotency_key,
        environment: params.caller.map(|caller| caller.environment),
        ..Extras::default()
    };
    Ok(changed(&ask(client, &session, command, extras).await?))
}
