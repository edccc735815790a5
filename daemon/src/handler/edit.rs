//! `edit`.

use super::change::{Extras, ask, changed, criteria, draft, existing, words};
use crate::redact;
use crate::server::Client;
use goald_core::Command;
use goald_core::command::Patch;
use goald_schema::WireError;
use goald_schema::protocol::edit::EditParams;
use goald_schema::protocol::target::Changed;

/// Changes a goal.
pub async fn handle(client: &Client, params: EditParams) -> Result<Changed, WireError> {
    let session = existing(client, &params.target).await?;
    let objective = params.objective.iter().map(|objective| ("the objective", words(objective)));
    let checks = params.checks.iter().flatten().map(|check| ("a check", check.as_str()));
    let warnings = redact::warnings(objective.chain(checks));
    // Only new checks depend on the configuration: a limit can be raised with a broken one.
    let checks = match params.checks {
        Some(checks) => Some(criteria(checks, &client.service.shared.config()?)),
        None => None,
    };
    let (objective, blob) = params.objective.map(draft).unzip();
    let patch = Patch { objective, max_rounds: params.max_rounds, criteria: checks };
    let command = Command::Edit { reference: params.reference, patch };
    let blobs = blob.flatten().into_iter().collect();
    let extras = Extras { key: params.idempotency_key, blobs, ..Extras::default() };
    let granted = ask(client, &session, command, extras).await?;
    Ok(Changed { warnings, ..changed(&granted) })
}
