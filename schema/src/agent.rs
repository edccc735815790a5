//! Agent profiles: the frozen description of the program that works on a goal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A named configuration of an agent, as it was when the session was opened or the goal created. Holds no secret: the
/// environment is never part of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentProfile {
    /// Its name in `config.toml`, or the path it was given by.
    pub name: String,
    /// How it is driven.
    pub adapter: Adapter,
}

/// How an agent is driven. One variant an adapter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Adapter {
    /// Any program: the prompt on standard input, text or JSON lines on standard output.
    Command {
        /// Absolute path of the program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// What its standard output is.
        output: OutputFormat,
    },
}

/// What a `command` agent prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutputFormat {
    /// Plain text; the end of the turn is the end of the process.
    #[default]
    Text,
    /// One JSON event a line (`docs/agents.md`).
    JsonLines,
}
