//! What an agent used, in one normal form.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens and cost of one attempt, or a sum of attempts. Never negative; what is not known is absent, not zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Usage {
    /// Input tokens that were not read from a cache.
    #[serde(default)]
    pub input_tokens: u64,
    /// Input tokens read from a cache.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// Tokens written to a cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// Output tokens, reasoning included.
    #[serde(default)]
    pub output_tokens: u64,
    /// Cost in millionths of a US dollar, where the agent says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
}

impl Usage {
    /// The sum of two; the cost is known if either is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let cost = match (self.cost_micro_usd, other.cost_micro_usd) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_input_tokens: self.cached_input_tokens.saturating_add(other.cached_input_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost_micro_usd: cost,
        }
    }
}
