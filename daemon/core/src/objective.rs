//! What an objective may be (`docs/rules.md`, "Goal rules").

use goald_schema::goal::{OBJECTIVE_CHARS, OBJECTIVE_FILE_BYTES, Objective, StoredText};
use goald_schema::id::BlobHash;
use goald_schema::{ErrorCode, WireError};

/// Where an objective comes from decides how long it may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The command line or a tool: at most 4,000 characters.
    Inline,
    /// A file: at most 256 KiB.
    File,
}

/// An objective as it was given, with the hash of its trimmed text where that is longer than a head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    /// As given.
    pub text: String,
    /// Where it comes from.
    pub source: Source,
    /// The blob of the trimmed text, made by the shell where [`needs_blob`] says so.
    pub blob: Option<BlobHash>,
}

/// Whether a trimmed text is longer than the head that the log keeps.
pub fn needs_blob(trimmed: &str) -> bool {
    trimmed.chars().count() > OBJECTIVE_CHARS
}

impl Draft {
    /// The objective as the log keeps it.
    ///
    /// # Errors
    /// `empty-text`, `text-too-long`.
    pub fn admit(&self) -> Result<Objective, WireError> {
        let text = self.text.trim();
        if text.is_empty() {
            return Err(WireError::new(ErrorCode::EmptyText, "the objective is empty")
                .hint("say in a sentence what must be true"));
        }
        if !needs_blob(text) {
            return Ok(Objective { text: text.to_owned(), whole: None });
        }
        match (self.source, &self.blob) {
            (Source::File, Some(blob)) if text.len() <= OBJECTIVE_FILE_BYTES => {
                let head: String = text.chars().take(OBJECTIVE_CHARS).collect();
                let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
                let whole = StoredText { blob: blob.clone(), bytes };
                Ok(Objective { text: head.trim_end().to_owned(), whole: Some(whole) })
            }
            (Source::File, _) => Err(WireError::new(
                ErrorCode::TextTooLong,
                format!("the objective has {} bytes; a file may have {OBJECTIVE_FILE_BYTES}", text.len()),
            )
            .hint("keep details in a file of the workspace and name it in the objective")),
            (Source::Inline, _) => Err(WireError::new(
                ErrorCode::TextTooLong,
                format!("the objective has {} characters; {OBJECTIVE_CHARS} are allowed", text.chars().count()),
            )
            .hint("write it into a file and use -F FILE")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str, source: Source) -> Draft {
        Draft { text: text.to_owned(), source, blob: Some(BlobHash::from_bytes(&[7; 32])) }
    }

    #[test]
    fn an_objective_is_trimmed_and_kept_whole_up_to_4000_characters() {
        let text = format!("  {}  \n", "é".repeat(OBJECTIVE_CHARS));
        let objective = draft(&text, Source::Inline).admit().expect("fits");
        assert_eq!(objective.text.chars().count(), OBJECTIVE_CHARS);
        assert_eq!(objective.whole, None);
    }

    #[test]
    fn an_empty_objective_and_one_of_blanks_are_refused() {
        for text in ["", "  \n\t "] {
            let error = draft(text, Source::File).admit().expect_err("empty");
            assert_eq!(error.code, ErrorCode::EmptyText);
        }
    }

    #[test]
    fn one_character_too_many_is_refused_inline_and_kept_as_head_and_blob_from_a_file() {
        let text = "x".repeat(OBJECTIVE_CHARS + 1);
        assert_eq!(draft(&text, Source::Inline).admit().expect_err("too long").code, ErrorCode::TextTooLong);
        let objective = draft(&text, Source::File).admit().expect("fits a file");
        assert_eq!(objective.text.len(), OBJECTIVE_CHARS);
        assert_eq!(objective.whole.expect("kept as blob").bytes, 4_001);
    }

    #[test]
    fn a_file_over_256_kib_is_refused() {
        let text = "x".repeat(OBJECTIVE_FILE_BYTES + 1);
        assert_eq!(draft(&text, Source::File).admit().expect_err("too long").code, ErrorCode::TextTooLong);
    }
}
