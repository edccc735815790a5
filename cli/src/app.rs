//! What every verb has at hand: the common flags, the places, a connection when it needs one.

use crate::args::Common;
use crate::client::{Connection, OnDemand};
use crate::error::CliError;
use crate::home::Places;
use crate::place;
use crate::print;
use goald_schema::protocol::status::{GetStatus, Status, StatusParams};
use goald_schema::protocol::target::{Caller, Environment, Target};
use goald_schema::{ErrorCode, GoalRef, Via};
use std::collections::BTreeMap;
use std::path::Path;

/// The largest file that an objective or message is read from, in bytes.
const FILE_BYTES: usize = goald_schema::goal::OBJECTIVE_FILE_BYTES;

/// The command line's context.
#[derive(Debug)]
pub struct App {
    /// The common flags.
    pub common: Common,
    /// Where things are.
    pub places: Places,
}

impl App {
    /// Connects, starting a daemon where none runs.
    ///
    /// # Errors
    /// `unreachable`.
    pub fn connect(&self) -> Result<Connection, CliError> {
        Connection::open(&self.places, Via::Cli, OnDemand::Start)
    }

    /// The session that is meant.
    ///
    /// # Errors
    /// `workspace-missing`.
    pub fn target(&self) -> Result<Target, CliError> {
        place::target(self.common.directory.as_ref(), &self.common.session)
    }

    /// The session of the attempt that this runs in; else the one that is meant.
    ///
    /// # Errors
    /// `workspace-missing`.
    pub fn agent_target(&self) -> Result<Target, CliError> {
        let inside = std::env::var_os(crate::client::TOKEN).is_some_and(|token| !token.is_empty());
        if inside { Ok(Target::Token {}) } else { self.target() }
    }
}

/// How a session stands.
///
/// # Errors
/// The daemon's; `workspace-missing` where there is neither a session nor a folder.
pub fn status(connection: &mut Connection, target: &Target) -> Result<Status, CliError> {
    let status = connection.call::<GetStatus>(&StatusParams { target: target.clone() })?;
    match target {
        Target::Place { workspace, .. } if status.session.is_none() && !Path::new(workspace).is_dir() => {
            Err(place::missing(Path::new(workspace), "there is no such folder"))
        }
        Target::Place { .. } | Target::Session { .. } | Target::Token {} => Ok(status),
    }
}

/// The goal as it is now: what a change is made against.
pub fn reference(status: &Status) -> Option<GoalRef> {
    status.goal.as_ref().map(|goal| GoalRef { id: goal.id, revision: goal.revision })
}

/// The same, where there must be one.
///
/// # Errors
/// `no-goal`.
pub fn required(status: &Status) -> Result<GoalRef, CliError> {
    reference(status).ok_or_else(|| {
        CliError::new(ErrorCode::NoGoal, "there is no goal here")
            .hint("goal create OBJECTIVE sets one; goal list shows others")
    })
}

/// A fresh idempotency key.
pub fn key() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// This process's environment and folder, for the agent. Variables that are not UTF-8 are named and left out.
pub fn caller() -> Caller {
    let mut variables = BTreeMap::new();
    for (name, value) in std::env::vars_os() {
        if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
            variables.insert(name.to_owned(), value.to_owned());
        } else {
            let name = crate::render::escape::line(&name.to_string_lossy());
            print::note(&format!("warning: the variable {name} is not UTF-8; the agent does not get it"));
        }
    }
    let cwd = std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
    Caller { environment: Environment(variables), cwd }
}

/// Reads a text file, or standard input for `-`.
///
/// # Errors
/// `invalid-value`, `text-too-long`.
pub fn read_file(path: &std::path::Path) -> Result<String, CliError> {
    use std::io::Read;
    let failed = |what: String| CliError::new(ErrorCode::InvalidValue, format!("{}: {what}", path.display()));
    let most = u64::try_from(FILE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| failed(error.to_string()))?;
    if bytes.len() > FILE_BYTES {
        return Err(CliError::new(
            ErrorCode::TextTooLong,
            format!("{} has more than {FILE_BYTES} bytes", path.display()),
        )
        .hint("keep details in files of the workspace and name them"));
    }
    String::from_utf8(bytes).map_err(|_| failed("is not UTF-8".to_owned()))
}
