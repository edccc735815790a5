//! What the prompt template is filled with.

use serde::Serialize;

/// Everything that the template needs. Texts are as they were written; the template quotes them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PromptData {
    /// A round or messages.
    pub turn: TurnData,
    /// Whether the standing text (how goals work) is told.
    pub standing: Standing,
    /// The goal's text, or the head of it; none where the session has no goal.
    pub objective: Option<String>,
    /// Where the whole objective is, if `objective` is its head.
    pub objective_path: Option<String>,
    /// The goal's id.
    pub goal_id: Option<String>,
    /// The goal's revision.
    pub revision: Option<u64>,
    /// Its phase.
    pub phase: Option<String>,
    /// The command lines that will be checked.
    pub checks: Vec<String>,
    /// What the last verdict found missing.
    pub missing: Vec<CheckFinding>,
    /// Whether an attempt of this turn was cut off before.
    pub was_cut: bool,
    /// Rounds that are left after this one; told when few are.
    pub rounds_left: Option<u32>,
    /// The command by which the agent reports.
    pub report: String,
}

/// What the attempt is for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TurnData {
    /// A round.
    Round {
        /// Its number.
        round: u32,
        /// How many are allowed.
        max: u32,
    },
    /// A human's messages.
    Messages {
        /// Their texts, in order.
        texts: Vec<String>,
    },
}

/// Whether the agent's session has been told how goals work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Not yet: tell it now.
    Tell,
    /// The agent's session knows it.
    Known,
}

/// A criterion that did not hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CheckFinding {
    /// What was run.
    pub run: String,
    /// How it ended: `exit code 1`, `timed out after 60 s`.
    pub outcome: String,
    /// The end of what it printed.
    pub output: String,
}

/// The longest a prompt's parts may be, in bytes; together they bound the whole.
pub mod limit {
    /// Output of one failed check.
    pub const OUTPUT: usize = 4 * 1024;
    /// Failed checks that are told with their output.
    pub const FINDINGS: usize = 8;
    /// All messages of a turn together.
    pub const MESSAGES: usize = 128 * 1024;
    /// A command line of a check.
    pub const COMMAND: usize = 1024;
    /// Checks that are told.
    pub const CHECKS: usize = 64;
    /// How a failed check ended.
    pub const OUTCOME: usize = 1024;
    /// The objective, or its head: as many bytes as its characters can have.
    pub const OBJECTIVE: usize = 4 * goald_schema::goal::OBJECTIVE_CHARS;
}

impl PromptData {
    /// The same, cut so that the whole prompt stays bounded.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        use super::{head_and_tail, tail};
        if let Some(objective) = &mut self.objective {
            *objective = head_and_tail(objective, limit::OBJECTIVE);
        }
        self.checks.truncate(limit::CHECKS);
        for check in &mut self.checks {
            *check = head_and_tail(check, limit::COMMAND);
        }
        self.missing.truncate(limit::FINDINGS);
        for finding in &mut self.missing {
            finding.run = head_and_tail(&finding.run, limit::COMMAND);
            finding.outcome = head_and_tail(&finding.outcome, limit::OUTCOME);
            finding.output = tail(&finding.output, limit::OUTPUT);
        }
        if let TurnData::Messages { texts } = &mut self.turn {
            let each = limit::MESSAGES / texts.len().max(1);
            for text in texts {
                *text = head_and_tail(text, each);
            }
        }
        self
    }
}
