//! Checkable conditions of completion. Only `command` exists yet; the other kinds of the design (file, protect, judge,
//! human) become variants of [`Check`] with a file of their own in `daemon/src/verify`.

use crate::id::BlobHash;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A criterion's name within its goal: `c1`, `c2`, …
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CriterionId(pub String);

/// One checkable condition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Criterion {
    /// Its name within the goal.
    pub id: CriterionId,
    /// What is checked.
    pub check: Check,
}

/// What is checked, and how.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "spec", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Check {
    /// A command line for `sh -c`, run in the workspace.
    Command(CommandCheck),
}

/// A command whose exit code decides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandCheck {
    /// The command line, handed to `sh -c`.
    pub run: String,
    /// The exit code that means "met".
    pub exit_code: i32,
    /// How long it may run, in milliseconds of the machine being awake.
    pub timeout_ms: u64,
}

/// The outcome of checking one criterion once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CriterionResult {
    /// Which one.
    pub criterion: CriterionId,
    /// Whether it holds. `false` too where it could not be checked: nothing is met because something failed.
    pub met: bool,
    /// The exit code of a command that ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why it could not be checked, where it could not: no program, killed by a signal, timed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<CheckTrouble>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The end of what it printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tail: Option<BlobHash>,
}

/// Why a check gave no exit code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum CheckTrouble {
    /// It could not be started.
    CannotRun {
        /// The system's words.
        message: String,
    },
    /// It was ended by a signal.
    Killed {
        /// The signal's number.
        signal: i32,
    },
    /// It ran longer than it may and was ended.
    TimedOut {
        /// The bound, in milliseconds.
        after_ms: u64,
    },
}
