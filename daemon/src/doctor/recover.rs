//! `goal doctor --recover FILE`: what can be read, in a new file. The log itself and everything beside it stay as they are.

use super::daemon;
use crate::home::Home;
use crate::store::{Beside, mark, salvage};
use goald_schema::doctor::{DaemonSeen, Recovered};
use goald_schema::{ErrorCode, WireError};
use std::path::Path;

/// Writes what is readable into `target`, which must not be there yet.
///
/// # Errors
/// `invalid-value` where the target is there, `not-found` where there is no log; `store-failed` and the like.
pub fn recover(home: &Home, target: &Path) -> Result<Recovered, WireError> {
    let database = home.database();
    if std::fs::symlink_metadata(target).is_ok() {
        let said = format!("{} is there already, and is not overwritten", target.display());
        return Err(WireError::new(ErrorCode::InvalidValue, said).hint("name a file that is not there yet"));
    }
    if !database.exists() {
        return Err(WireError::new(ErrorCode::NotFound, format!("there is no log {}", database.display()))
            .hint("goal doctor says where it looks"));
    }
    let before = daemon::beside(home);
    let recovery = salvage(&database, target)?;
    let unaccounted = recovery.unaccounted.iter().map(|range| range.last);
    let known = unaccounted.chain(recovery.acknowledged).chain([recovery.newest]).max().unwrap_or_default();
    mark(target, known)?;
    let daemon = match (before, daemon::beside(home)) {
        (Beside::Nobody, Beside::Nobody) => DaemonSeen::Absent,
        _ => DaemonSeen::Runs,
    };
    Ok(Recovered { file: target.to_string_lossy().into_owned(), daemon, next: next(home, target, daemon), recovery })
}

/// What puts the new file in place, in this order, as a shell takes it. Nothing is removed.
fn next(home: &Home, target: &Path, daemon: DaemonSeen) -> Vec<String> {
    let quoted = |path: &Path| {
        let text = path.to_string_lossy().into_owned();
        shlex::try_quote(&text).map_or_else(|_| text.clone(), |quoted| quoted.into_owned())
    };
    let (state, file) = (quoted(&home.state), quoted(target));
    let mut next = vec!["goal daemon stop".to_owned()];
    if daemon == DaemonSeen::Runs {
        // What it has written since is not in the file.
        next.push(format!("mv {file} {file}.early && goal doctor --recover {file}"));
    }
    next.push(format!("mkdir {state}/damaged && mv {state}/goald.db* {state}/goald.end {state}/damaged/"));
    next.push(format!("mv {file} {state}/goald.db"));
    next.push("goal doctor".to_owned());
    next.push("goal daemon start".to_owned());
    next
}
