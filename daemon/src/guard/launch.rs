//! What a guard is to start.

use crate::process::leftover::Mark;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A program to start, and what to hand it.
#[derive(Clone)]
pub struct Launch {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments, without its own name.
    pub args: Vec<String>,
    /// Its whole environment: nothing else is inherited.
    pub env: BTreeMap<String, String>,
    /// The folder it starts in.
    pub cwd: PathBuf,
    /// What it gets on standard input, then end of file.
    pub stdin: Vec<u8>,
    /// How patient a cancellation is.
    pub ladder: LadderTimes,
    /// What `env` marks every process of it with: by this it is found again should the guard be lost.
    pub mark: Mark,
}

/// Environment and prompt are secrets: neither is ever printed.
impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// How long each rung of a cancellation waits before the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LadderTimes {
    /// From the interrupt to the terminate signal.
    pub interrupt: Duration,
    /// From the terminate to the kill signal.
    pub terminate: Duration,
}

impl Default for LadderTimes {
    fn default() -> Self {
        Self { interrupt: Duration::from_secs(5), terminate: Duration::from_secs(5) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_environment_nor_prompt_is_printed() {
        let launch = Launch {
            program: "/bin/true".into(),
            args: vec!["shown".to_owned()],
            env: BTreeMap::from([("KEY".to_owned(), "hidden-value".to_owned())]),
            cwd: "/".into(),
            stdin: b"hidden-prompt".to_vec(),
            ladder: LadderTimes::default(),
            mark: Mark::Attempt(goald_schema::id::AttemptId::from_uuid(uuid::Uuid::nil())),
        };
        let text = format!("{launch:?}");
        assert!(text.contains("shown") && !text.contains("hidden") && !text.contains("KEY"), "{text}");
        assert!(!text.contains("104, 105"), "bytes of the prompt: {text}");
    }
}
