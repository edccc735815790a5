//! `question/asked`, `question/answered`.

use crate::id::{AttemptId, QuestionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The human is asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionAsked {
    /// Which.
    pub question: QuestionId,
    /// By whom.
    pub kind: QuestionKind,
    /// The question.
    pub text: String,
    /// Answers to choose from, if any.
    #[serde(default)]
    pub choices: Vec<String>,
    /// The attempt that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptId>,
}

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// The agent.
    Agent,
    /// The judge says it cannot be reached.
    Impossible,
    /// Agent and criteria disagree again and again.
    Dispute,
    /// Something cannot be checked here.
    Unverifiable,
}

/// The human answered, or dismissed it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionAnswered {
    /// Which.
    pub question: QuestionId,
    /// How.
    pub reply: Reply,
}

/// A human's reply.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reply {
    /// An answer.
    Answer {
        /// In words.
        text: String,
    },
    /// No answer: the question is closed.
    Dismissed,
}
