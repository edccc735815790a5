//! From a profile to what is started and who reads it.

use super::json_lines::JsonLinesAdapter;
use super::text::TextAdapter;
use super::{Adapter, Resumed};
use crate::guard::{LadderTimes, Launch};
use goald_schema::agent::{self, AgentProfile, OutputFormat};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a guard is to start for a prompt. `env` is the agent's whole environment
/// ([`crate::attempt::environment::of_attempt`]).
pub fn launch(profile: &AgentProfile, workspace: PathBuf, env: BTreeMap<String, String>, prompt: String) -> Launch {
    let agent::Adapter::Command { program, args, output: _ } = &profile.adapter;
    Launch {
        program: program.into(),
        args: args.clone(),
        env,
        cwd: workspace,
        stdin: prompt.into_bytes(),
        ladder: LadderTimes::default(),
    }
}

/// Absolute path of the program.
pub fn program(profile: &AgentProfile) -> &str {
    let agent::Adapter::Command { program, .. } = &profile.adapter;
    program
}

/// Who reads its output. `resumed` is the agent session that it was told to continue.
pub fn adapter(profile: &AgentProfile, resumed: Resumed) -> Box<dyn Adapter> {
    let agent::Adapter::Command { output, .. } = &profile.adapter;
    match output {
        OutputFormat::Text => Box::new(TextAdapter::new()),
        OutputFormat::JsonLines => Box::new(JsonLinesAdapter::new(resumed)),
    }
}
