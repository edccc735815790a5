//! `create`.

use super::change::{Extras, ask, changed, criteria, draft, existing, thresholds};
use crate::fresh;
use crate::profile;
use crate::server::Client;
use goald_core::Command;
use goald_core::command::Create;
use goald_schema::actor::Actor;
use goald_schema::event::SessionOpened;
use goald_schema::goal::Limits;
use goald_schema::id::GoalId;
use goald_schema::protocol::create::CreateParams;
use goald_schema::protocol::target::{Caller, Changed, Target};
use goald_schema::{ErrorCode, WireError};
use std::path::Path;

/// Creates a goal; a human may open the session by it.
pub async fn handle(client: &Client, params: CreateParams) -> Result<Changed, WireError> {
    let config = client.service.shared.config()?;
    let (objective, blob) = draft(params.objective);
    objective.admit()?;
    let caller = params.caller.unwrap_or_default();
    // Held to the end: a session that is not opened then, is given up.
    let (session, opened, _prepared) = match &params.target {
        Target::Place { workspace, name } if client.actor(None) == Actor::Human => {
            let place = place(workspace, name)?;
            let known = client.service.registry.find(&place)?;
            let opened = match known {
                Some(id) => client.service.registry.get(id).await?.view().borrow().opened.clone(),
                None => None,
            };
            let open = opened_by(client, place.clone(), params.agent.as_deref(), opened.as_ref(), &caller)?;
            let prepared = client.service.registry.find_or_prepare(place).await?;
            (prepared.session.clone(), open, Some(prepared))
        }
        target => {
            let session = existing(client, target).await?;
            let opened = session.view().borrow().opened.clone();
            let opened = opened.ok_or_else(|| WireError::new(ErrorCode::NoSession, "the session is not open"))?;
            let open = match params.agent.as_deref() {
                Some(agent) if client.actor(Some(session.id)) == Actor::Human => {
                    let place = (opened.workspace.clone(), opened.name.clone());
                    opened_by(client, place, Some(agent), None, &caller)?
                }
                Some(_) => return Err(WireError::new(ErrorCode::NotPermitted, "an agent may not choose the agent")),
                None => opened,
            };
            (session, open, None)
        }
    };
    let create = Create {
        id: GoalId::from_uuid(fresh::uuid()),
        open: opened,
        objective,
        max_rounds: params.max_rounds,
        criteria: criteria(params.checks, &config),
        limits: Limits::default(),
        workspace_use: params.workspace_use,
        replaces: params.replaces,
    };
    let extras = Extras {
        key: params.idempotency_key,
        environment: Some(caller.environment),
        blobs: blob.into_iter().collect(),
        thresholds: Some(thresholds(&config)),
    };
    let granted = ask(client, &session, Command::Create(Box::new(create)), extras).await?;
    Ok(changed(&granted))
}

/// The facts of a session to be opened: with the agent that is named, else the one it has, else the configured one.
pub fn opened_by(
    client: &Client,
    place: (String, String),
    agent: Option<&str>,
    before: Option<&SessionOpened>,
    caller: &Caller,
) -> Result<SessionOpened, WireError> {
    let profile = match (agent, before) {
        (None, Some(opened)) => opened.profile.clone(),
        (agent, _) => {
            let shared = &client.service.shared;
            profile::resolve(agent, &shared.config()?, &shared.home.config, caller)?
        }
    };
    Ok(SessionOpened { workspace: place.0, name: place.1, profile })
}

/// A place that a session can be opened in.
///
/// # Errors
/// `workspace-missing`, `invalid-value`.
pub fn place(workspace: &str, name: &str) -> Result<(String, String), WireError> {
    let path = Path::new(workspace);
    if !path.is_absolute() || !path.is_dir() {
        let message = format!("{workspace} is no folder, or not named by its absolute path");
        return Err(WireError::new(ErrorCode::WorkspaceMissing, message).hint("choose another with -C DIR"));
    }
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.chars().count() > 64 || !name.chars().all(plain) {
        return Err(WireError::new(ErrorCode::InvalidValue, format!("{name:?} is no session name"))
            .hint("1 to 64 letters, digits, dots, hyphens or underscores"));
    }
    Ok((workspace.to_owned(), name.to_owned()))
}
