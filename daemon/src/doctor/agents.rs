//! The programs of the configured agents: found, or not. None is started.

use crate::config::Config;
use crate::profile;
use goald_schema::agent::Adapter;
use goald_schema::doctor::{Area, Finding, FindingCode};
use goald_schema::protocol::target::Caller;
use std::ffi::OsStr;
use std::path::Path;

/// Looks each one up, as `goal create` would in this shell.
pub fn look(config: &Config, file: &Path, path: Option<&OsStr>) -> Vec<Finding> {
    let mut caller = Caller::default();
    if let Some(path) = path.and_then(OsStr::to_str) {
        caller.environment.0.insert("PATH".to_owned(), path.to_owned());
    }
    let mut wanted: Vec<&String> = config.agents.keys().collect();
    wanted.extend(config.default_agent.iter().filter(|name| !config.agents.contains_key(*name)));
    let found = wanted.into_iter().map(|name| match profile::resolve(Some(name), config, file, &caller) {
        Ok(profile) => {
            let Adapter::Command { program, .. } = profile.adapter;
            Finding::ok(Area::Agents, format!("agent {name} is {program}"))
        }
        Err(error) => {
            let finding = Finding::problem(Area::Agents, FindingCode::AgentMissing, error.message);
            finding.hint(error.hint.unwrap_or_default())
        }
    });
    found.collect()
}
