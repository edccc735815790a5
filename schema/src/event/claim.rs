//! `claim/made`, `claim/refused`.

use crate::id::AttemptId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent reported. Not yet the truth.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimMade {
    /// By which attempt.
    pub attempt: AttemptId,
    /// What it says.
    pub claim: Claim,
}

/// An agent's report was refused; it counts for nothing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimRefused {
    /// By which attempt.
    pub attempt: AttemptId,
    /// What it said.
    pub claim: Claim,
    /// Why it was refused.
    pub why: RefusedWhy,
}

/// What an agent says about its goal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Claim {
    /// It is reached.
    Complete {
        /// What was done.
        summary: String,
        /// Paths or links worth looking at.
        #[serde(default)]
        artifacts: Vec<String>,
        /// What the agent itself could not check.
        #[serde(default)]
        unverified: Vec<String>,
    },
    /// It cannot be reached as things are.
    Blocked {
        /// Why.
        reason: String,
    },
}

impl Claim {
    /// The word.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Complete { .. } => "complete",
            Self::Blocked { .. } => "blocked",
        }
    }
}

/// Why a claim was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum RefusedWhy {
    /// `blocked` before the round from which it is allowed.
    TooEarly {
        /// How many rounds are missing.
        missing_rounds: u32,
    },
    /// It is about another goal, or about content that has changed since.
    StaleContent,
    /// The goal's phase does not allow it.
    WrongPhase,
    /// The attempt is being stopped, or its daemon is.
    Stopping,
}
