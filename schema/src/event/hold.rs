//! `hold/opened`, `hold/closed`.

use crate::id::{GoalId, HoldId};
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reason not to start the next round yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HoldOpened {
    /// Which.
    pub hold: HoldId,
    /// What it waits for.
    pub on: HoldOn,
    /// When it closes as expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
}

/// What a hold waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum HoldOn {
    /// A wall-clock time.
    Until {
        /// When.
        time: Timestamp,
    },
    /// A file to appear, change or vanish.
    File {
        /// Absolute path.
        path: String,
        /// Which of the three.
        change: FileChange,
    },
    /// A process to end.
    Process {
        /// Process id.
        pid: u32,
        /// Start time in clock ticks since boot.
        start_ticks: u64,
        /// The kernel's id of that boot.
        boot_id: String,
    },
    /// Another goal to stop.
    Goal {
        /// Which.
        goal: GoalId,
    },
    /// A result handed in from outside.
    External {
        /// Its name.
        key: String,
    },
    /// A read-only command to reach an exit code.
    Command {
        /// The command line.
        run: String,
        /// The exit code.
        exit_code: i32,
    },
}

/// What a file is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileChange {
    /// To exist.
    Appears,
    /// To have other content.
    Changes,
    /// Not to exist any more.
    Vanishes,
}

/// A hold is over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HoldClosed {
    /// Which.
    pub hold: HoldId,
    /// How.
    pub outcome: HoldOutcome,
    /// A result handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// How a hold ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HoldOutcome {
    /// What it waited for came.
    Met,
    /// Its deadline came first.
    Expired,
    /// A human let go of it.
    Released,
    /// Its goal ended.
    Cancelled,
}
