//! Where the daemon listens: where it was told to, or at a short path where that of the state folder is too long for the
//! system. Folders outside the state folder are used only if nobody else can put anything there: another user's socket
//! would be given this user's environment.

use crate::error::DaemonError;
use crate::home::Home;
use crate::private_file;
use goald_schema::socket;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Bytes of the hash that names a state folder's socket among those of others.
const HASH_BYTES: usize = 8;

/// Chooses the path, and records it in the state folder where a client could not know it. Called under the lock.
///
/// # Errors
/// [`DaemonError::Socket`] where no short path is to be had safely, [`DaemonError::Folder`] where it cannot be recorded.
pub fn settle(home: &Home) -> Result<PathBuf, DaemonError> {
    let chosen = if socket::fits(&home.socket) { home.socket.clone() } else { short(home)? };
    let record = home.socket_record();
    let kept = if chosen == home.own_socket() {
        forget(home)
    } else {
        private_file::write(&record, chosen.as_os_str().as_bytes())
    };
    kept.map_err(|error| DaemonError::folder(&record, &error))?;
    Ok(chosen)
}

/// Takes the record away.
///
/// # Errors
/// The system's.
pub fn forget(home: &Home) -> io::Result<()> {
    match std::fs::remove_file(home.socket_record()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Where the daemon that has the lock listens, as far as it has said so.
pub fn recorded(home: &Home) -> PathBuf {
    match std::fs::read(home.socket_record()) {
        Ok(path) => PathBuf::from(OsString::from_vec(path)),
        Err(_) => home.socket.clone(),
    }
}

fn short(home: &Home) -> Result<PathBuf, DaemonError> {
    let failed = |message: String| DaemonError::Socket { path: home.socket.clone(), message };
    let limit = socket::PATH_BYTES;
    if home.socket != home.own_socket() {
        return Err(failed(format!("a socket's path has at most {limit} bytes")));
    }
    let state = home.state.canonicalize().map_err(|error| DaemonError::folder(&home.state, &error))?;
    let hash = blake3::hash(state.as_os_str().as_bytes()).to_hex();
    let name = format!("{}.sock", &hash.as_str()[..HASH_BYTES * 2]);
    // A runtime folder that will not do is passed over: without one the temporary folder serves.
    if let Some(runtime) = &home.runtime
        && private(runtime).is_ok()
        && let folder = runtime.join("goald")
        && let path = folder.join(&name)
        && socket::fits(&path)
        && made(&folder).is_ok()
    {
        return Ok(path);
    }
    let folder = home.temporary.join(format!("goald-{}", nix::unistd::geteuid()));
    let path = folder.join(&name);
    if !socket::fits(&path) {
        return Err(failed(format!(
            "the path has more than {limit} bytes, and so has the short one, {}; set GOALD_SOCKET to a short path",
            path.display()
        )));
    }
    made(&folder).map_err(|error| {
        failed(format!(
            "the path has more than {limit} bytes, and {} cannot be used instead: {error}; set GOALD_SOCKET to a short path",
            folder.display()
        ))
    })?;
    Ok(path)
}

/// Makes a folder of mode 0700, or takes one that is there and nobody else's.
fn made(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    private(folder)
}

/// A real folder of this user's, closed to everybody else. Not a link: whoever made that could turn it elsewhere.
fn private(folder: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(folder)?;
    let own = nix::unistd::geteuid().as_raw();
    let wrong = if !found.is_dir() {
        "it is no folder".to_owned()
    } else if found.uid() != own {
        format!("it belongs to user {}, not to user {own}", found.uid())
    } else if found.mode() & 0o077 != 0 {
        format!("others may enter it (mode {:04o})", found.mode() & 0o7777)
    } else {
        return Ok(());
    };
    Err(io::Error::other(wrong))
}

#[cfg(test)]
mod tests;
