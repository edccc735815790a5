//! The user's `config.toml`: read when a command needs it, so that an edit counts from the next command on. Nothing is
//! ever read from a workspace.

use goald_schema::agent::OutputFormat;
use goald_schema::goal::{AfterRestart, Policy, WorkspaceUse};
use goald_schema::{ErrorCode, WireError};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The configuration; every key is optional. `docs/operations.md` lists them, and a test ties that list to this type.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Config {
    /// The agent where none is named.
    pub default_agent: Option<String>,
    /// How many rounds a goal may use where none is said.
    pub default_max_goal_rounds: u32,
    /// Before this round an agent may not call itself blocked.
    pub blocked_after_consecutive_rounds: u32,
    /// How many attempts and checks run at once, over all sessions; read at the daemon's start.
    pub max_concurrent_attempts: u32,
    /// How often one round or message turn is tried after transient failures.
    pub max_attempts: u32,
    /// The first delay before another attempt.
    #[serde(deserialize_with = "duration")]
    pub retry_base: Duration,
    /// How long one attempt may take.
    #[serde(deserialize_with = "duration")]
    pub round_timeout: Duration,
    /// How long an attempt may print nothing.
    #[serde(deserialize_with = "duration")]
    pub idle_timeout: Duration,
    /// How long one check may run.
    #[serde(deserialize_with = "duration")]
    pub check_timeout: Duration,
    /// How much of an attempt's output is kept, in bytes.
    pub output_cap: u64,
    /// Agent profiles by name.
    pub agents: BTreeMap<String, AgentConfig>,
}

/// One agent profile.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AgentConfig {
    /// Any program.
    Command {
        /// Program and arguments. A relative path is relative to the folder of `config.toml`; a bare name is looked up
        /// in the caller's `PATH`.
        command: Vec<String>,
        /// What it prints.
        #[serde(default)]
        output: OutputFormat,
    },
}

impl Default for Config {
    fn default() -> Self {
        Self {
            default_agent: None,
            default_max_goal_rounds: 256,
            blocked_after_consecutive_rounds: 3,
            max_concurrent_attempts: 4,
            max_attempts: 5,
            retry_base: Duration::from_secs(1),
            round_timeout: Duration::from_hours(2),
            idle_timeout: Duration::from_mins(30),
            check_timeout: Duration::from_mins(10),
            output_cap: 64 * 1024 * 1024,
            agents: BTreeMap::new(),
        }
    }
}

fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    humantime::parse_duration(&text).map_err(serde::de::Error::custom)
}

impl Config {
    /// Reads the file; one that is not there is an empty one.
    ///
    /// # Errors
    /// `bad-config`, with the file's name and the line.
    pub fn read(path: &Path) -> Result<Self, WireError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).map_err(|what| bad(path, &what)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(bad(path, &error.to_string())),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let positive = [
            ("defaultMaxGoalRounds", config.default_max_goal_rounds),
            ("maxConcurrentAttempts", config.max_concurrent_attempts),
            ("maxAttempts", config.max_attempts),
        ];
        if let Some((key, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Err(format!("{key} must be at least 1"));
        }
        let timeouts = [
            ("roundTimeout", config.round_timeout),
            ("idleTimeout", config.idle_timeout),
            ("checkTimeout", config.check_timeout),
        ];
        if let Some((key, _)) = timeouts.iter().find(|(_, value)| value.is_zero()) {
            return Err(format!("{key} must be longer than nothing"));
        }
        Ok(config)
    }

    /// The thresholds that a new goal freezes.
    pub fn policy(&self) -> Policy {
        Policy {
            blocked_after_consecutive_rounds: self.blocked_after_consecutive_rounds,
            max_attempts: self.max_attempts,
            retry_base_ms: millis(self.retry_base),
            round_timeout_ms: millis(self.round_timeout),
            idle_timeout_ms: millis(self.idle_timeout),
            after_restart: AfterRestart::Ask,
            workspace_use: WorkspaceUse::Alone,
        }
    }
}

/// Whole milliseconds, at most what a number of them can say.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn bad(path: &Path, what: &str) -> WireError {
    WireError::new(ErrorCode::BadConfig, format!("{}: {}", path.display(), what.trim_end()))
        .hint("mend the file; docs/operations.md lists its keys")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_gives_the_documented_defaults() {
        let config = Config::read(Path::new("/nonexistent/config.toml")).expect("defaults");
        assert_eq!(config, Config::default());
        assert_eq!((config.default_max_goal_rounds, config.blocked_after_consecutive_rounds), (256, 3));
    }

    #[test]
    fn keys_are_read_and_durations_are_written_as_people_write_them() {
        let config = Config::parse(
            "defaultAgent = 'w'\nroundTimeout = '90m'\n[agents.w]\nkind = 'command'\ncommand = ['./a.sh', '-x']\noutput = 'json-lines'\n",
        )
        .expect("reads");
        assert_eq!(config.round_timeout, Duration::from_mins(90));
        let command = vec!["./a.sh".to_owned(), "-x".to_owned()];
        assert_eq!(config.agents["w"], AgentConfig::Command { command, output: OutputFormat::JsonLines });
    }

    #[test]
    fn an_unknown_key_a_zero_and_a_bad_duration_are_refused_with_the_key() {
        for (text, word) in [
            ("frobnicate = 1", "frobnicate"),
            ("maxAttempts = 0", "maxAttempts"),
            ("idleTimeout = 'soon'", "idleTimeout"),
        ] {
            let error = Config::parse(text).expect_err(text);
            assert!(error.contains(word), "{error}");
        }
    }
}
