//! What every session's task and every handler share.

use crate::clock::Clock;
use crate::config::Config;
use crate::home::Home;
use crate::scheduler::Scheduler;
use crate::session::Thresholds;
use crate::store::Store;
use crate::tokens::Tokens;
use goald_schema::WireError;
use goald_schema::id::{AttemptId, BlobHash};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The daemon's common things.
pub struct Shared {
    /// Its places.
    pub home: Home,
    /// The log.
    pub store: Arc<dyn Store>,
    /// The clocks.
    pub clock: Clock,
    /// Workspaces and slots.
    pub scheduler: Scheduler,
    /// Tokens of running attempts.
    pub tokens: Tokens,
    /// Cancelled when the daemon is to end.
    pub stop: CancellationToken,
    /// How much of an attempt's output is kept, in bytes.
    pub output_cap: u64,
    /// The configuration as it was at the start, for what needs one before anybody asks.
    pub at_start: Config,
}

impl Shared {
    /// The configuration as it is now.
    ///
    /// # Errors
    /// `bad-config`.
    pub fn config(&self) -> Result<Config, WireError> {
        Config::read(&self.home.config)
    }

    /// The thresholds of the configuration at the start.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds { policy: self.at_start.policy(), default_max_rounds: self.at_start.default_max_goal_rounds }
    }

    /// Where an attempt's output is.
    pub fn output_file(&self, attempt: AttemptId) -> PathBuf {
        self.home.output().join(format!("{attempt}.out"))
    }

    /// Where the whole of a long objective is laid down.
    pub fn objective_file(&self, hash: &BlobHash) -> PathBuf {
        self.home.objectives().join(format!("{hash}.md"))
    }
}
