//! `goal doctor --recover FILE`: what can be read, in a new file. The log itself and everything beside it stay as they are.

use super::daemon;
use crate::home::Home;
use crate::store::{Beside, mark, salvage};
use goald_schema::doctor::Recovered;
use goald_schema::{ErrorCode, WireError};
use std::path::Path;

/// Writes what is readable into `target`, which must not be there yet. Without a daemon only.
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
    free(home)?;
    let recovery = salvage(&database, target)?;
    if let Err(error) = free(home) {
        // What one that has started meanwhile wrote may be in the file by halves.
        return match std::fs::remove_file(target) {
            Ok(()) => Err(error),
            Err(stays) => Err(error.hint(format!("remove {} ({stays}) and look again", target.display()))),
        };
    }
    let unaccounted = recovery.unaccounted.iter().map(|range| range.last);
    let known = unaccounted.chain(recovery.acknowledged).chain([recovery.newest]).max().unwrap_or_default();
    mark(target, known)?;
    Ok(Recovered { file: target.to_string_lossy().into_owned(), next: next(home, target), recovery })
}

/// What a daemon writes meanwhile would be missing, or there by halves.
fn free(home: &Home) -> Result<(), WireError> {
    match daemon::beside(home) {
        Beside::Nobody => Ok(()),
        Beside::Daemon => {
            Err(WireError::new(ErrorCode::StoreFailed, "a daemon has the log open, and may write into it")
                .hint("goal daemon stop, then again"))
        }
    }
}

/// What puts the new file in place, in this order, as a shell takes it. Nothing is removed.
fn next(home: &Home, target: &Path) -> Vec<String> {
    let quoted = |path: &Path| {
        let text = path.to_string_lossy().into_owned();
        shlex::try_quote(&text).map_or_else(|_| text.clone(), std::borrow::Cow::into_owned)
    };
    let (state, file) = (quoted(&home.state), quoted(target));
    let names = ["goald.db", "goald.db-wal", "goald.db-shm", "goald.db-journal", "goald.end"];
    let there: Vec<String> =
        names.iter().filter(|name| home.state.join(name).exists()).map(|name| format!("{state}/{name}")).collect();
    vec![
        "goal daemon stop".to_owned(),
        format!("mkdir -m 700 {state}/damaged && mv {} {state}/damaged/", there.join(" ")),
        format!("mv {file} {state}/goald.db"),
        "goal doctor".to_owned(),
        "goal daemon start".to_owned(),
    ]
}
