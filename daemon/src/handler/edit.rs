//! `edit`.

use super::change::{Extras, ask, changed, criteria, draft, existing};
use crate::server::Client;
use goald_core::Command;
use goald_core::command::Patch;
use goald_schema::WireError;
use goald_schema::protocol::edit::EditParams;
use goald_schema::protocol::target::Changed;

/// Changes a goal.
pub async fn handle(client: &Client, params: EditParams) -> Result<Changed, WireError> {
    let session = existing(client, &params.target).await?;
    let config = client.service.shared.config()?;
    let (objective, blob) = params.objective.map(draft).unzip();
    let patch = Patch {
        objective,
        max_rounds: params.max_rounds,
        criteria: params.checks.map(|checks| criteria(checks, &config)),
    };
    let command = Command::Edit { reference: params.reference, patch };
    let blobs = blob.flatten().into_iter().collect();
    let extras = Extras { key: params.idempotency_key, blobs, ..Extras::default() };
    Ok(changed(&ask(client, &session, command, extras).await?))
}
