//! What a person is told who writes a key where it is kept as given.

/// A warning for each of these texts, named by what it is, that looks as if it held a key.
pub fn warnings<'a>(texts: impl IntoIterator<Item = (&'static str, &'a str)>) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for (what, text) in texts {
        let warning = format!(
            "{what} looks as if it held a key: it is kept as given, in the log for good. Better keep keys in the \
             environment, and replace this one"
        );
        if super::is_in(text) && !told.contains(&warning) {
            told.push(warning);
        }
    }
    told
}
