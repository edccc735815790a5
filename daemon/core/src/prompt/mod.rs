//! The prompt: a template over data (`docs/rules.md`, "The prompt").
//!
//! Everything that a person, an agent or a file wrote is quoted as one JSON string, so text that looks like markup or
//! orders cannot leave its place. The prompt is bounded as a whole. Objective and state come from the log every time, so
//! an agent that compacts its context cannot lose them.

mod bound;
mod data;

pub use bound::{head_and_tail, tail};
pub use data::{CheckFinding, PromptData, Standing, TurnData, limit};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use std::fmt::Write as _;
use std::sync::LazyLock;

const TEMPLATE: &str = include_str!("prompt.txt.j2");

/// A prompt that could not be made: a fault in the template, not in the data.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the prompt template failed: {0}")]
pub struct PromptError(String);

impl From<minijinja::Error> for PromptError {
    fn from(error: minijinja::Error) -> Self {
        Self(error.to_string())
    }
}

/// The template, read once.
static ENVIRONMENT: LazyLock<Result<Environment<'static>, PromptError>> = LazyLock::new(environment);

/// Renders the prompt of one attempt.
///
/// # Errors
/// Only if the template itself is broken, which a test would show.
pub fn render(data: &PromptData) -> Result<String, PromptError> {
    let environment = ENVIRONMENT.as_ref().map_err(Clone::clone)?;
    Ok(environment.get_template("prompt")?.render(Value::from(Serde(data)))?)
}

fn environment() -> Result<Environment<'static>, PromptError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_filter("quoted", quoted);
    environment.add_template("prompt", TEMPLATE)?;
    Ok(environment)
}

/// One JSON string on one line, in which neither a fence nor a line separator survives as such.
#[expect(clippy::needless_pass_by_value, reason = "a template filter is handed its value")]
fn quoted(value: Value) -> Result<String, minijinja::Error> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let json = serde_json::to_string(&text)
        .map_err(|error| minijinja::Error::new(minijinja::ErrorKind::BadSerialization, error.to_string()))?;
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        if risky(c) {
            // JSON escapes name halves of UTF-16. Writing to a String cannot fail.
            c.encode_utf16(&mut [0; 2]).iter().try_for_each(|half| write!(quoted, "\\u{half:04x}")).unwrap_or_default();
        } else {
            quoted.push(c);
        }
    }
    Ok(quoted)
}

/// Characters that a reader could take for the end of the quote, or could not see: backticks, angle brackets, controls, and
/// the invisible ones that change lines or direction or hide text.
fn risky(c: char) -> bool {
    matches!(
        c,
        '`' | '<' | '>' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests;
