//! Files and folders that nobody but the daemon's own user may read.

use crate::crash::{self, Place};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes a folder and those above it, mode 0700; one that is there is narrowed to that, and never widened.
///
/// # Errors
/// The system's.
pub fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let mode = std::fs::metadata(path)?.permissions().mode() & 0o777;
    if mode & 0o700 == mode {
        return Ok(());
    }
    std::fs::set_permissions(path, Permissions::from_mode(mode & 0o700))
}

/// Opens a file for appending, mode 0600; one that is there is narrowed to that.
///
/// # Errors
/// The system's.
pub fn append(path: &Path) -> io::Result<File> {
    narrowed(OpenOptions::new().create(true).append(true).mode(0o600).open(path)?)
}

/// Writes a file whole or not at all, mode 0600.
///
/// # Errors
/// The system's.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(above) = path.parent() {
        folder(above)?;
    }
    let partial = path.with_extension(format!("partial-{}", crate::fresh::uuid().simple()));
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&partial)?;
    if let Err(error) = file.write_all(bytes) {
        // The disk may be full of what could not be finished: the error that is told is the first one.
        std::fs::remove_file(&partial).ok();
        return Err(error);
    }
    crash::at(Place::ObjectiveUnnamed);
    std::fs::rename(&partial, path)?;
    crash::at(Place::ObjectiveLaid);
    Ok(())
}

/// Opens a file to be locked, mode 0600; one that is there is narrowed to that.
///
/// # Errors
/// The system's.
pub fn lockable(path: &Path) -> io::Result<File> {
    narrowed(OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(path)?)
}

/// Only what was there before can be wider: a new file has its mode from its first moment.
fn narrowed(file: File) -> io::Result<File> {
    if file.metadata()?.mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}
