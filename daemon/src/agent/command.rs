//! From a profile to what is started and who reads it.

use super::Adapter;
use super::json_lines::JsonLinesAdapter;
use super::text::TextAdapter;
use crate::guard::{LadderTimes, Launch};
use crate::process::leftover::Mark;
use goald_schema::agent::{self, AgentProfile, OutputFormat};
use goald_schema::usage::Usage;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a guard is to start for a prompt. `env` is the agent's whole environment
/// ([`crate::attempt::environment::of_attempt`]).
pub fn launch(
    profile: &AgentProfile,
    workspace: PathBuf,
    env: BTreeMap<String, String>,
    prompt: String,
    mark: Mark,
) -> Launch {
    let agent::Adapter::Command { program, args, output: _ } = &profile.adapter;
    Launch {
        program: program.into(),
        args: args.clone(),
        env,
        cwd: workspace,
        stdin: prompt.into_bytes(),
        ladder: LadderTimes::default(),
        mark,
    }
}

/// Absolute path of the program.
pub fn program(profile: &AgentProfile) -> &str {
    let agent::Adapter::Command { program, .. } = &profile.adapter;
    program
}

/// Who reads its output. `previous` is what earlier attempts of the same agent session used; zero for a fresh one.
pub fn adapter(profile: &AgentProfile, previous: Usage) -> Box<dyn Adapter> {
    let agent::Adapter::Command { output, .. } = &profile.adapter;
    match output {
        OutputFormat::Text => Box::new(TextAdapter::new()),
        OutputFormat::JsonLines => Box::new(JsonLinesAdapter::new(previous)),
    }
}
