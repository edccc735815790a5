//! The few styles there are. Whoever prints takes them away where there is no terminal.

use anstyle::{AnsiColor, Style};

/// For what matters most.
pub const STRONG: Style = Style::new().bold();
/// For what matters least.
pub const FAINT: Style = Style::new().dimmed();
/// For what is well.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// For what needs somebody.
pub const NEEDS: Style = AnsiColor::Yellow.on_default();
/// For what went wrong.
pub const BAD: Style = AnsiColor::Red.on_default();

/// A text in a style.
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
