//! The process at the other end of a connection, as the kernel knew it when it connected, and whether it still runs.

use crate::process::{self, State};
use goald_schema::{ErrorCode, WireError};
use nix::sys::socket::{getsockopt, sockopt};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

/// How a process is held on to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holding {
    /// By a descriptor that the kernel gives with the connection (`SO_PEERPIDFD`, Linux 6.5), else by its start time.
    Descriptor,
    /// By its start time alone, as on an older kernel.
    StartTime,
}

/// A connected process.
#[derive(Clone, Debug)]
pub enum Credentials {
    /// It was there when it was looked at.
    Known(Known),
    /// It had ended before it could be looked at.
    Exited,
    /// It has no number here: it is in a process namespace that this one does not see.
    Invisible,
}

/// A process that was there when it connected.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its number.
    pub pid: u32,
    /// Its start time, in clock ticks since boot.
    pub start_ticks: u64,
    held: Option<Arc<OwnedFd>>,
}

impl Credentials {
    /// Takes the credentials of a connection's other end. Another user is turned away.
    ///
    /// # Errors
    /// `foreign-user`; `internal` where the kernel does not say who it is.
    pub fn of(socket: &impl AsFd, holding: Holding) -> Result<Self, WireError> {
        let credentials = getsockopt(socket, sockopt::PeerCredentials).map_err(|error| {
            WireError::new(ErrorCode::Internal, format!("the system does not say who is asking: {error}"))
        })?;
        let own = nix::unistd::geteuid().as_raw();
        if credentials.uid() != own {
            tracing::warn!(uid = credentials.uid(), pid = credentials.pid(), "a peer of another user was turned away");
            let message = format!("this daemon belongs to user {own}; user {} asked", credentials.uid());
            return Err(WireError::new(ErrorCode::ForeignUser, message).hint("run a daemon of your own"));
        }
        let Some(pid) = u32::try_from(credentials.pid()).ok().filter(|pid| *pid != 0) else {
            return Ok(Self::Invisible);
        };
        let held = match holding {
            Holding::StartTime => None,
            Holding::Descriptor => match getsockopt(socket, sockopt::PeerPidfd) {
                Ok(descriptor) => Some(Arc::new(descriptor)),
                Err(nix::errno::Errno::ENOPROTOOPT) => return Self::of(socket, Holding::StartTime),
                // An older kernel gives none for a process that is gone; whatever else it is, it cannot be held.
                Err(_) => return Ok(Self::Exited),
            },
        };
        let Some(stat) = process::read(pid) else { return Ok(Self::Exited) };
        let known = Known { pid, start_ticks: stat.start_ticks, held };
        // Looked at after its start time was read: what was read is then its own and not a successor's.
        Ok(if known.runs() { Self::Known(known) } else { Self::Exited })
    }
}

impl Known {
    /// Whether exactly this process still runs.
    pub fn runs(&self) -> bool {
        match &self.held {
            // What cannot be asked is not taken for alive.
            Some(descriptor) => process::is_over(descriptor, Duration::ZERO).is_ok_and(|is_over| !is_over),
            None => process::read(self.pid)
                .is_some_and(|now| now.start_ticks == self.start_ticks && now.state == State::Alive),
        }
    }

    /// Whether the kernel holds it for us.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::process::{Command, Stdio};

    const BOTH: [Holding; 2] = [Holding::Descriptor, Holding::StartTime];

    fn known(holding: Holding) -> Known {
        let (near, _far) = UnixStream::pair().expect("a pair");
        match Credentials::of(&near, holding).expect("our own user") {
            Credentials::Known(known) => known,
            other => panic!("this process runs: {other:?}"),
        }
    }

    #[test]
    fn this_process_is_known_and_runs_however_it_is_held() {
        for holding in BOTH {
            let known = known(holding);
            assert_eq!(known.pid, std::process::id());
            assert_eq!(Some(known.start_ticks), process::read(known.pid).map(|stat| stat.start_ticks));
            assert!(known.runs(), "{holding:?}");
        }
        assert!(!known(Holding::StartTime).is_held());
    }

    #[test]
    fn a_number_that_was_given_to_another_process_is_not_taken_for_it() {
        let known = known(Holding::StartTime);
        let successor = Known { start_ticks: known.start_ticks + 1, ..known };
        assert!(!successor.runs());
    }

    /// The program that the next test runs: it connects and waits for the end of its standard input.
    #[test]
    #[ignore = "a program for another test, which runs it"]
    fn connects_and_waits() {
        let path = std::env::var_os("GOALD_TEST_SOCKET").expect("where to connect");
        let _connected = UnixStream::connect(path).expect("connected");
        std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).expect("read to its end");
    }

    #[test]
    fn a_process_that_connected_and_ended_does_not_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s");
        let listener = UnixListener::bind(&path).expect("bound");
        let this = "peer::credentials::tests::connects_and_waits";
        for holding in BOTH {
            let mut command = Command::new(std::env::current_exe().expect("this program"));
            command.args(["--ignored", "--exact", this]).env("GOALD_TEST_SOCKET", &path);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("started");
            let (socket, _) = listener.accept().expect("it connected");
            let Credentials::Known(known) = Credentials::of(&socket, holding).expect("our own user") else {
                panic!("it runs")
            };
            assert_eq!((known.pid, known.runs()), (child.id(), true), "{holding:?}");
            drop(child.stdin.take());
            assert!(child.wait().expect("ended").success());
            assert!(!known.runs(), "{holding:?}");
            let now = Credentials::of(&socket, holding).expect("our own user");
            assert!(matches!(now, Credentials::Exited), "{holding:?}: {now:?}");
        }
    }
}
