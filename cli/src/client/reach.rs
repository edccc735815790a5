//! Reaching the daemon's socket: the one that was named, or that of the state folder, or the one that the state folder
//! says. That last one lies in a folder that may be gone and made anew by somebody else: whoever listens there is given
//! this user's environment only if it is this user, or whoever the state folder belongs to.

use crate::error::CliError;
use crate::home::Places;
use goald_schema::{ErrorCode, socket};
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;

/// Why there is no connection.
#[derive(Debug)]
pub enum Unreached {
    /// No daemon is there: one may be started.
    Absent(CliError),
    /// One may be there, but this process does not get to it.
    Kept(CliError),
}

impl Unreached {
    /// The error, whichever it is.
    pub fn into_error(self) -> CliError {
        match self {
            Self::Absent(error) | Self::Kept(error) => error,
        }
    }
}

/// Connects.
///
/// # Errors
/// `unreachable`.
pub fn connect(places: &Places) -> Result<UnixStream, Unreached> {
    let recorded = places.recorded_socket();
    let path = recorded.as_ref().unwrap_or(&places.socket);
    if !socket::fits(path) {
        let error = Error::other("the path is too long for a socket, and no daemon has said where it listens instead");
        return Err(Unreached::Absent(unreachable(places, &error)));
    }
    let stream = match UnixStream::connect(path) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
            return Err(Unreached::Absent(unreachable(places, &error)));
        }
        Err(error) => return Err(Unreached::Kept(unreachable(places, &error))),
    };
    if recorded.is_some() {
        trusted(places, &stream).map_err(|error| Unreached::Absent(unreachable(places, &error)))?;
    }
    Ok(stream)
}

/// The error of whoever does not get through.
pub fn unreachable(places: &Places, error: &Error) -> CliError {
    let path = places.recorded_socket().unwrap_or_else(|| places.socket.clone());
    CliError::new(ErrorCode::Unreachable, format!("no daemon answers at {}: {error}", path.display()))
        .hint("goal daemon start")
}

fn trusted(places: &Places, stream: &UnixStream) -> Result<(), Error> {
    let listener = getsockopt(stream, PeerCredentials)?.uid();
    let own = nix::unistd::geteuid().as_raw();
    if listener == own || listener == std::fs::metadata(&places.state)?.uid() {
        return Ok(());
    }
    Err(Error::other(format!("user {listener} listens there, whose daemon this is not")))
}
