//! Starting the daemon on first need: detached from the caller's pipes, and never from inside an agent.

use crate::error::CliError;
use crate::home::Places;
use goald_schema::{ErrorCode, WireError};
use std::io::{BufRead, BufReader, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

/// Variables that are set inside attempts and checks.
const INSIDE: &[&str] = &["GOALD_ATTEMPT", "GOALD_TOKEN", "GOALD_CHECK"];
/// What the daemon says on its standard output once it listens, or once another one does.
pub const READY: &str = "ready";

/// Why the state folder cannot be used.
fn unusable(path: &Path, error: &std::io::Error) -> CliError {
    let message = format!("the daemon could not be started: {}: {error}", path.display());
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            CliError::new(ErrorCode::StoreReadOnly, message).hint("make the state folder writable, then try again")
        }
        ErrorKind::StorageFull => CliError::new(ErrorCode::DiskFull, message).hint("make room, then try again"),
        _ => CliError::new(ErrorCode::Unreachable, message),
    }
}

/// Starts a daemon and waits until one listens.
///
/// # Errors
/// The daemon's own; `unreachable` where it said nothing.
pub fn daemon(places: &Places) -> Result<(), CliError> {
    if let Some(marker) = INSIDE.iter().find(|name| std::env::var_os(name).is_some()) {
        return Err(CliError::new(ErrorCode::Unreachable, format!("no daemon runs, and {marker} is set"))
            .hint("a daemon is never started from inside an agent: start it from a terminal, goal daemon start"));
    }
    let cannot = |what: String| {
        CliError::new(ErrorCode::Unreachable, format!("the daemon could not be started: {what}"))
            .hint(format!("its own log is {}", places.log().display()))
    };
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&places.state)
        .map_err(|error| unusable(&places.state, &error))?;
    let log = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(places.log());
    let log = log.map_err(|error| unusable(&places.log(), &error))?;
    let goal = std::env::current_exe().map_err(|error| cannot(error.to_string()))?;
    let mut command = Command::new(goal);
    if let Some(root) = &places.root {
        command.env("GOALD_HOME", root);
    }
    // It listens exactly where this client will look for it: where it was told, or where the state folder says.
    if places.socket == places.own_socket() {
        command.env_remove("GOALD_SOCKET");
    } else {
        command.env("GOALD_SOCKET", &places.socket);
    }
    let mut child = command
        .args(["daemon", "run", "--detached"])
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(|error| cannot(error.to_string()))?;
    let mut first = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut first).map_err(|error| cannot(error.to_string()))?;
    }
    match first.trim() {
        READY => Ok(()),
        "" => Err(cannot("it ended without a word".to_owned())),
        words => Err(serde_json::from_str::<WireError>(words).map_or_else(|_| cannot(words.to_owned()), Into::into)),
    }
}
