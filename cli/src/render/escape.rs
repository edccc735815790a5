//! Text from agents, files and people, made safe for a terminal: control characters, escape sequences and marks that
//! change the direction of text become visible.

/// On one line.
pub fn line(text: &str) -> String {
    text.chars().map(|c| if c == '\n' || c == '\t' { ' '.to_string() } else { visible(c) }).collect()
}

/// On one line, at most this many characters.
pub fn short(text: &str, most: usize) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(most).collect();
    let ellipsis = if chars.next().is_some() { "…" } else { "" };
    line(&head) + ellipsis
}

/// On as many lines as it has.
pub fn block(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.chars().map(|c| if c == '\n' || c == '\t' { c.to_string() } else { visible(c) }).collect()
}

fn visible(c: char) -> String {
    let risky = c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    if risky { format!("\\u{{{:x}}}", u32::from(c)) } else { c.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_direction_marks_become_visible() {
        assert_eq!(line("a\u{1b}[2Jb\u{202e}c\r\u{7}"), "a\\u{1b}[2Jb\\u{202e}c\\u{d}\\u{7}");
        assert_eq!(block("a\n\tb\r\n\u{9b}1m"), "a\n\tb\n\\u{9b}1m");
    }

    #[test]
    fn a_line_stays_one_line_and_plain_text_stays_as_it_is() {
        assert_eq!(line("a\nb"), "a b");
        assert_eq!(line("grün 日本 😀"), "grün 日本 😀");
        assert_eq!(short("abcdef", 3), "abc…");
        assert_eq!(short("abc", 3), "abc");
    }
}
