//! The user's configuration, read as a daemon reads it.

use crate::config::Config;
use crate::home::Home;
use goald_schema::doctor::{Area, Finding, FindingCode};
use std::os::unix::fs::MetadataExt;

/// Reads it. Without one that can be used there is none.
pub fn look(home: &Home) -> (Option<Config>, Vec<Finding>) {
    let path = home.config.display();
    match Config::read(&home.config) {
        Ok(config) => {
            let said = if home.config.exists() {
                format!("the configuration {path} can be used")
            } else {
                format!("there is no configuration {path}: the defaults count")
            };
            (Some(config), vec![written_by_others(home).unwrap_or_else(|| Finding::ok(Area::Places, said))])
        }
        Err(error) => {
            let finding = Finding::problem(Area::Places, FindingCode::ConfigUnusable, error.message);
            (None, vec![finding.hint(error.hint.unwrap_or_default())])
        }
    }
}

/// The user's own file: others may read it, if the user likes. Who writes it decides what is run.
fn written_by_others(home: &Home) -> Option<Finding> {
    let mode = std::fs::metadata(&home.config).ok()?.mode() & 0o7777;
    let said = format!("other users can write {} (mode {mode:04o}), and so choose what is run", home.config.display());
    let finding = Finding::problem(Area::Places, FindingCode::OpenToOthers, said).hint("chmod go-w it");
    (mode & 0o022 != 0).then_some(finding)
}
