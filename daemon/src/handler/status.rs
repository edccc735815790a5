//! `status`.

use crate::server::Client;
use crate::session::nothing;
use goald_schema::WireError;
use goald_schema::protocol::status::{Status, StatusParams};
use goald_schema::protocol::target::Target;

/// Reads a session; an unknown place is no error.
pub async fn handle(client: &Client, params: StatusParams) -> Result<Status, WireError> {
    let mut status = read(client, params).await?;
    status.store_damage = client.service.shared.store.damage().map(Into::into);
    Ok(status)
}

async fn read(client: &Client, params: StatusParams) -> Result<Status, WireError> {
    if let Target::Place { workspace, name } = &params.target {
        let registry = &client.service.registry;
        let Some(id) = registry.find(&(workspace.clone(), name.clone()))? else { return Ok(nothing()) };
        return Ok(registry.get(id).await?.look().await?.status.clone());
    }
    Ok(super::change::existing(client, &params.target).await?.look().await?.status.clone())
}
