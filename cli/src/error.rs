//! The one kind of error of the command line: a stable code, what is wrong, what to do.

use goald_schema::{ErrorCode, Exit, WireError};

/// Why a verb failed.
#[derive(Debug)]
pub struct CliError(pub WireError);

impl CliError {
    /// Without a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(WireError::new(code, message))
    }

    /// With what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self(self.0.hint(hint))
    }

    /// The exit code.
    pub const fn exit(&self) -> Exit {
        self.0.code.exit()
    }
}

impl From<WireError> for CliError {
    fn from(error: WireError) -> Self {
        Self(error)
    }
}

/// What a verb ends with.
pub type Outcome = Result<Exit, CliError>;
