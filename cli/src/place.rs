//! Which session is meant: the workspace of a folder, and a name in it. No git is run.

use crate::error::CliError;
use goald_schema::ErrorCode;
use goald_schema::protocol::target::Target;
use std::path::{Path, PathBuf};

/// The name of a session where none is said.
pub const DEFAULT_NAME: &str = "main";

/// The workspace that a folder belongs to: the nearest folder above it with a `.git`, else itself. The folder need not be
/// there any more, nor be one: its session must stay within reach.
///
/// # Errors
/// `workspace-missing` where not even its path can be told.
pub fn workspace(folder: &Path) -> Result<String, CliError> {
    let missing = |why: String| missing(folder, &why);
    let path = whole(folder).map_err(|error| missing(error.to_string()))?;
    let top = path.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&path);
    top.to_str().map(str::to_owned).ok_or_else(|| missing("its path is not UTF-8".to_owned()))
}

/// The absolute path without links, as far as there is something at it.
fn whole(folder: &Path) -> std::io::Result<PathBuf> {
    match folder.canonicalize() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let path = std::path::absolute(folder)?;
            match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => Ok(whole(parent)?.join(name)),
                _ => Err(error),
            }
        }
        found => found,
    }
}

/// There is no such folder, and no session in it either.
pub fn missing(folder: &Path, why: &str) -> CliError {
    CliError::new(ErrorCode::WorkspaceMissing, format!("{}: {why}", folder.display()))
        .hint("name a folder that exists with -C DIR; goal list shows the sessions there are")
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
    fn a_folder_that_is_not_there_any_more_keeps_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        std::fs::create_dir(root.join("real")).expect("made");
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).expect("linked");
        let real = root.join("real/gone/for ever");
        assert_eq!(workspace(&root.join("link/gone/for ever")).expect("told"), real.to_str().expect("UTF-8"));
        std::os::unix::fs::symlink("nowhere", root.join("dangling")).expect("linked");
        let dangling = root.join("dangling");
        assert_eq!(workspace(&dangling).expect("told"), dangling.to_str().expect("UTF-8"));
        std::fs::write(root.join("file"), "").expect("written");
        assert_eq!(workspace(&root.join("file")).expect("told"), root.join("file").to_str().expect("UTF-8"));
    }
}
