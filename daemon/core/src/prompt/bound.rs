//! Cutting texts to a size, at character boundaries, and saying so.

/// The end of a text, at most `bytes` long, with a word about what was left out.
pub fn tail(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let start = text.len() - bytes;
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("[{start} bytes left out] {}", &text[start..])
}

/// Three quarters of head and one of tail, at most `bytes` long, with a word about what was left out.
pub fn head_and_tail(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let head = bytes / 4 * 3;
    let head = (0..=head).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = text.len() - bytes / 4;
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("{} [{} bytes left out] {}", &text[..head], start - head, &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_is_left_alone() {
        assert_eq!(tail("abc", 3), "abc");
        assert_eq!(head_and_tail("abc", 3), "abc");
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        let text = "é".repeat(100);
        assert_eq!(tail(&text, 11), format!("[190 bytes left out] {}", "é".repeat(5)));
        let cut = head_and_tail(&text, 40);
        assert!(cut.starts_with('é') && cut.ends_with('é') && cut.contains("bytes left out"), "{cut}");
    }
}
