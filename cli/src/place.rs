//! Which session is meant: the workspace of a folder, and a name in it. No git is run.

use crate::error::CliError;
use goald_schema::ErrorCode;
use goald_schema::protocol::target::Target;
use std::path::{Path, PathBuf};

/// The name of a session where none is said.
pub const DEFAULT_NAME: &str = "main";

/// The workspace that a folder belongs to: the nearest folder above it with a `.git`, else itself.
///
/// # Errors
/// `workspace-missing`.
pub fn workspace(folder: &Path) -> Result<String, CliError> {
    let missing = |why: String| {
        CliError::new(ErrorCode::WorkspaceMissing, format!("{}: {why}", folder.display()))
            .hint("name a folder that exists with -C DIR")
    };
    let path = folder.canonicalize().map_err(|error| missing(error.to_string()))?;
    if !path.is_dir() {
        return Err(missing("is no folder".to_owned()));
    }
    let top = path.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&path);
    top.to_str().map(str::to_owned).ok_or_else(|| missing("its path is not UTF-8".to_owned()))
}

/// The session that is meant.
///
/// # Errors
/// `workspace-missing`.
pub fn target(folder: Option<&PathBuf>, name: &str) -> Result<Target, CliError> {
    let here = PathBuf::from(".");
    Ok(Target::Place { workspace: workspace(folder.unwrap_or(&here))?, name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_the_nearest_folder_with_git_else_the_folder_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        let inner = root.join("a/b");
        std::fs::create_dir_all(&inner).expect("made");
        assert_eq!(workspace(&inner).expect("found"), inner.to_str().expect("UTF-8"));
        std::fs::write(root.join("a/.git"), "gitdir: elsewhere").expect("written");
        assert_eq!(workspace(&inner).expect("found"), root.join("a").to_str().expect("UTF-8"));
    }

    #[test]
    fn a_folder_that_is_not_there_is_refused() {
        let error = workspace(Path::new("/nonexistent/place")).expect_err("refused");
        assert_eq!(error.0.code, ErrorCode::WorkspaceMissing);
    }
}
