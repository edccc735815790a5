//! What every change has in common: finding the session, asking it, answering.

use crate::config::Config;
use crate::server::Client;
use crate::session::{Ask, Granted, SessionHandle, Thresholds};
use crate::store::Blob;
use goald_core::Command;
use goald_core::objective::{Draft, Source, needs_blob};
use goald_schema::criterion::{Check, CommandCheck, Criterion, CriterionId};
use goald_schema::protocol::create::ObjectiveText;
use goald_schema::protocol::target::{Changed, Environment, Target};
use goald_schema::{ErrorCode, WireError};

/// The longest message of a human, in bytes.
pub const MESSAGE_BYTES: usize = 256 * 1024;
/// The longest environment, in bytes of names and values.
const ENVIRONMENT_BYTES: usize = 512 * 1024;

/// The session that is meant, which must have been opened.
///
/// # Errors
/// `no-session`, or the registry's.
pub async fn existing(client: &Client, target: &Target) -> Result<SessionHandle, WireError> {
    let registry = &client.service.registry;
    let handle = match target {
        Target::Session { session } => registry.get(*session).await?,
        Target::Token => match client.token_session() {
            Some(session) => registry.get(session).await?,
            None => {
                return Err(WireError::new(ErrorCode::NotPermitted, "no running attempt's token was shown")
                    .hint("agents get it in GOALD_TOKEN; outside an attempt name a session with -C and -s"));
            }
        },
        Target::Place { workspace, name } => match registry.find(&(workspace.clone(), name.clone()))? {
            Some(id) => registry.get(id).await?,
            None => return Err(no_session(workspace, name)),
        },
    };
    if handle.view().borrow().opened.is_none() {
        let place = registry.place_of(handle.id).unwrap_or_default();
        return Err(no_session(&place.0, &place.1));
    }
    Ok(handle)
}

fn no_session(workspace: &str, name: &str) -> WireError {
    WireError::new(ErrorCode::NoSession, format!("there is no session {name:?} in {workspace}"))
        .hint("goal create OBJECTIVE opens one; goal list shows those there are")
}

/// What a change needs beside its command.
#[derive(Default)]
pub struct Extras {
    /// Makes a repeated request harmless.
    pub key: Option<String>,
    /// What the agent gets from now on.
    pub environment: Option<Environment>,
    /// Texts that the events will name.
    pub blobs: Vec<Blob>,
    /// The configuration, for what starts something new. What only stops something must work with a broken one too.
    pub thresholds: Option<Thresholds>,
}

/// Asks a session.
///
/// # Errors
/// The refusal.
pub async fn ask(
    client: &Client,
    session: &SessionHandle,
    command: Command,
    extras: Extras,
) -> Result<Granted, WireError> {
    let actor = client.actor(Some(session.id));
    let via = client.via();
    if extras.environment.as_ref().is_some_and(|environment| size(environment) > ENVIRONMENT_BYTES) {
        return Err(WireError::new(ErrorCode::TextTooLong, "the environment is too large")
            .hint(format!("at most {ENVIRONMENT_BYTES} bytes")));
    }
    if extras.key.as_ref().is_some_and(|key| key.is_empty() || key.len() > 256) {
        return Err(WireError::new(ErrorCode::InvalidValue, "an idempotency key has 1 to 256 bytes"));
    }
    // Only a person's environment is taken: an agent's holds its own token and markers.
    let human = actor == goald_schema::Actor::Human;
    session
        .ask(|answer| Ask {
            command,
            actor,
            via,
            key: extras.key,
            environment: extras.environment.filter(|_| human),
            blobs: extras.blobs,
            thresholds: extras.thresholds,
            answer,
        })
        .await
}

fn size(environment: &Environment) -> usize {
    environment.0.iter().map(|(name, value)| name.len() + value.len()).sum()
}

/// The configuration as a session takes it.
pub fn thresholds(config: &Config) -> Thresholds {
    Thresholds { policy: config.policy(), default_max_rounds: config.default_max_goal_rounds }
}

/// The reply to a granted change.
pub fn changed(granted: &Granted) -> Changed {
    Changed { changed: granted.changed, status: granted.view.status.clone(), warnings: Vec::new() }
}

/// An objective as the core takes it, with the blob of its whole text where the log keeps only a head.
pub fn draft(objective: ObjectiveText) -> (Draft, Option<Blob>) {
    let (text, source) = match objective {
        ObjectiveText::Inline { text } => (text, Source::Inline),
        ObjectiveText::File { text } => (text, Source::File),
    };
    let trimmed = text.trim();
    let blob = needs_blob(trimmed).then(|| Blob::new(trimmed.as_bytes().to_vec()));
    let hash = blob.as_ref().map(|blob| blob.hash.clone());
    (Draft { text, source, blob: hash }, blob)
}

/// Command lines as criteria `c1`, `c2`, …
pub fn criteria(checks: Vec<String>, config: &Config) -> Vec<Criterion> {
    let timeout_ms = crate::config::millis(config.check_timeout);
    let criterion = |(index, run): (usize, String)| Criterion {
        id: CriterionId(format!("c{}", index + 1)),
        check: Check::Command(CommandCheck { run, exit_code: 0, timeout_ms }),
    };
    checks.into_iter().enumerate().map(criterion).collect()
}
