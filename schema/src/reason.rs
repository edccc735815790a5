//! Why a goal is blocked. The set of codes is open (a human may give any); these are goald's own, and each has a section
//! in `docs/codes.md`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A code in lower-kebab-case: letters, digits and single hyphens, starting with a letter, at most 64 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct ReasonCode(String);

/// A text that is no reason code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a reason code is lower-kebab-case, such as human-reported, not {0:?}")]
pub struct BadReasonCode(pub String);

impl TryFrom<String> for ReasonCode {
    type Error = BadReasonCode;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let starts = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
        if starts && text.len() <= 64 && text.split('-').all(word) { Ok(Self(text)) } else { Err(BadReasonCode(text)) }
    }
}

impl From<ReasonCode> for String {
    fn from(code: ReasonCode) -> Self {
        code.0
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ReasonCode {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! known {
    ($($(#[$doc:meta])* $variant:ident => $text:literal,)*) => {
        /// The codes that goald itself gives.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Known {
            $($(#[$doc])* $variant,)*
        }

        impl Known {
            /// Every one, in the order of `docs/codes.md`.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The text.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

known! {
    /// The agent says it cannot go on.
    ModelReported => "model-reported",
    /// Every allowed round is used up.
    RoundLimit => "round-limit",
    /// A usage limit of the agent's account was met.
    UsageLimit => "usage-limit",
    /// The prompt could not be handed over: no program, or the system refused to start it.
    QueueFailed => "queue-failed",
    /// The agent refused the prompt before its turn began.
    PromptRejected => "prompt-rejected",
    /// The agent failed in its turn, for good.
    AgentFailed => "agent-failed",
    /// The agent is not signed in.
    AuthRequired => "auth-required",
    /// One round was tried as often as is allowed.
    AttemptLimit => "attempt-limit",
    /// A check could not be run.
    VerifierFailed => "verifier-failed",
    /// The workspace is gone, unreadable or no folder.
    WorkspaceMissing => "workspace-missing",
    /// A human said so.
    HumanReported => "human-reported",
}

impl From<Known> for ReasonCode {
    fn from(known: Known) -> Self {
        Self(known.as_str().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_code_is_lower_kebab_case() {
        for known in Known::ALL {
            assert_eq!(ReasonCode::try_from(known.as_str().to_owned()), Ok((*known).into()));
        }
    }

    #[test]
    fn anything_but_lower_kebab_case_is_refused() {
        for bad in ["", "-", "a-", "-a", "a--b", "A", "a_b", "1a", "a b", "é", &"a".repeat(65)] {
            assert_eq!(ReasonCode::try_from(bad.to_owned()), Err(BadReasonCode(bad.to_owned())), "{bad:?}");
        }
    }
}
