//! One daemon a state folder: lock, then probe, unlink, bind. A live listener is never overwritten.

use crate::error::DaemonError;
use crate::home::Home;
use crate::private_file;
use crate::socket_place;
use nix::fcntl::{Flock, FlockArg};
use nix::sys::socket::{self, AddressFamily, Backlog, SockFlag, SockType, UnixAddr, bind, socket};
use nix::sys::stat::{Mode, fchmod};
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// The locked state folder and the listening socket.
#[derive(Debug)]
pub struct Instance {
    lock: Flock<File>,
    starting: Flock<File>,
}

impl Instance {
    /// Locks the state folder. A second starter waits here until the first one listens or has given up.
    ///
    /// # Errors
    /// [`DaemonError::Running`] where another daemon has it.
    pub fn lock(home: &Home) -> Result<Self, DaemonError> {
        private_file::folder(&home.state).map_err(|error| DaemonError::folder(&home.state, &error))?;
        let starting = locked(&home.starting(), FlockArg::LockExclusive)?;
        let mut lock = match locked(&home.lock(), FlockArg::LockExclusiveNonblock) {
            Ok(lock) => lock,
            Err(DaemonError::Running { .. }) if UnixStream::connect(socket_place::recorded(home)).is_ok() => {
                let pid = std::fs::read_to_string(home.lock()).unwrap_or_default();
                return Err(DaemonError::Running { pid: pid.trim().to_owned() });
            }
            // Nobody is starting, and nobody listens: whoever has the lock is on its way out.
            Err(DaemonError::Running { .. }) => locked(&home.lock(), FlockArg::LockExclusive)?,
            Err(error) => return Err(error),
        };
        // The number is for people; only the lock counts.
        let written = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id()));
        written.map_err(|error| DaemonError::folder(&home.lock(), &error))?;
        Ok(Self { lock, starting })
    }

    /// Binds the socket, mode 0600, once nobody listens there, and lets waiting starters go.
    ///
    /// # Errors
    /// [`DaemonError::Socket`].
    pub fn bind(self, socket: &Path) -> Result<(UnixListener, Flock<File>), DaemonError> {
        let failed =
            |error: &std::io::Error| DaemonError::Socket { path: socket.to_owned(), message: error.to_string() };
        if UnixStream::connect(socket).is_ok() {
            return Err(failed(&std::io::Error::other("somebody else listens there")));
        }
        match std::fs::remove_file(socket) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(&error)),
            Ok(()) | Err(_) => {}
        }
        let listener = listen(socket).map_err(|error| failed(&error))?;
        listener.set_nonblocking(true).map_err(|error| failed(&error))?;
        drop(self.starting);
        Ok((listener, self.lock))
    }
}

/// Listens. The descriptor's mode is the file's from its first moment: narrowed later, it could be opened before.
fn listen(path: &Path) -> std::io::Result<UnixListener> {
    let descriptor = socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    fchmod(&descriptor, Mode::S_IRUSR | Mode::S_IWUSR)?;
    bind(descriptor.as_raw_fd(), &UnixAddr::new(path)?)?;
    socket::listen(&descriptor, Backlog::MAXCONN)?;
    Ok(UnixListener::from(descriptor))
}

fn locked(path: &Path, how: FlockArg) -> Result<Flock<File>, DaemonError> {
    let file = private_file::lockable(path).map_err(|error| DaemonError::folder(path, &error))?;
    Flock::lock(file, how).map_err(|(_, errno)| match errno {
        nix::errno::Errno::EWOULDBLOCK => DaemonError::Running { pid: String::new() },
        other => DaemonError::folder(path, &std::io::Error::from(other)),
    })
}
