//! What must hold of every `config.toml`.

use super::Config;
use goald_schema::goal::Policy;

/// It is read or refused in words. What is read keeps the rules that it is read for, also in the shape in which a goal
/// freezes it.
///
/// # Panics
/// If that does not hold.
pub fn config(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match Config::parse(text) {
        Ok(config) => holds(text, &config),
        Err(what) => assert!(!what.trim().is_empty(), "a refusal says what is wrong"),
    }
}

fn holds(text: &str, config: &Config) {
    assert_eq!(Config::parse(text).as_ref(), Ok(config), "reading twice gives the same");
    assert!(config.default_max_goal_rounds > 0 && config.max_concurrent_attempts > 0);
    assert!(super::millis(config.check_timeout) > 0);
    let policy = config.policy();
    assert!(policy.max_attempts > 0 && policy.round_timeout_ms > 0 && policy.idle_timeout_ms > 0);
    // It is frozen into the log, and must be read from there for ever.
    let written = serde_json::to_string(&policy).map_err(|error| error.to_string());
    let read =
        written.map(|written| goald_schema::strict::stored::<Policy>(&written).map_err(|error| error.to_string()));
    assert_eq!(read, Ok(Ok(policy)));
}
