//! The user's configuration, read as a daemon reads it.

use crate::config::Config;
use crate::home::Home;
use goald_schema::doctor::{Area, Finding, FindingCode};

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
            (Some(config), vec![Finding::ok(Area::Places, said)])
        }
        Err(error) => {
            let finding = Finding::problem(Area::Places, FindingCode::ConfigUnusable, error.message);
            (None, vec![finding.hint(error.hint.unwrap_or_default())])
        }
    }
}
