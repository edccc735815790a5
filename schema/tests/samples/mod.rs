//! Samples of events, and what is known about their fields.

mod events;

pub use events::SAMPLES;

/// What may be absent at the top of an event's data.
pub const OPTIONAL: &[&str] = &[
    "attempt/ended agentSession",
    "attempt/ended finalText",
    "attempt/ended usage",
    "attempt/started given",
    "attempt/started model",
    "attempt/started permissions",
    "attempt/started resumes",
    "attempt/started version",
    "hold/closed result",
    "hold/opened deadline",
    "message/delivered attempt",
    "message/delivered failed",
    "message/queued interrupts",
    "question/asked attempt",
    "question/asked choices",
    "round/ended fingerprint",
    "turn/stopped attempt",
    "verdict/recorded attempt",
    "verdict/recorded claim",
    "verdict/recorded fingerprint",
    "verdict/recorded judge",
    "verdict/recorded judgeUsage",
];

/// Types whose data has the same shape.
pub fn alike(one: &str, other: &str) -> bool {
    one.starts_with("pause/") && other.starts_with("pause/")
}
