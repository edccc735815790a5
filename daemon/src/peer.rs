//! Who is on the other end: derived from the process, never declared (`docs/rules.md`, "Who is who").
//!
//! One function decides, [`Peer::actor`]. It is a guard-rail against over-eager agents, not a wall against hostile code
//! of the same user.

use crate::process::{self, Stat, leftover};
use crate::tokens::Tokens;
use goald_schema::actor::{Actor, OtherWhy, Via};
use goald_schema::id::SessionId;
use goald_schema::{ErrorCode, WireError};
use std::io;
use tokio::net::UnixStream;

/// No chain of ancestors is longer than this.
const MAX_ANCESTORS: usize = 256;

/// The process at the other end of a connection, as the kernel knew it when it connected.
#[derive(Clone, Debug)]
pub struct Peer {
    pid: Option<u32>,
    /// Its start time, to notice that the number was given to another process meanwhile.
    started: Option<u64>,
}

impl Peer {
    /// Takes the peer's credentials. Another user is turned away.
    ///
    /// # Errors
    /// `foreign-user`; `internal` where the kernel does not say who it is.
    pub fn of(stream: &UnixStream) -> Result<Self, WireError> {
        let credentials = stream.peer_cred().map_err(|error| {
            WireError::new(ErrorCode::Internal, format!("the system does not say who is asking: {error}"))
        })?;
        let own = nix::unistd::geteuid().as_raw();
        if credentials.uid() != own {
            let message = format!("this daemon belongs to user {own}; user {} asked", credentials.uid());
            return Err(WireError::new(ErrorCode::ForeignUser, message).hint("run a daemon of your own"));
        }
        let pid = credentials.pid().and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid != 0);
        let started = pid.and_then(process::read).map(|stat| stat.start_ticks);
        Ok(Self { pid, started })
    }

    /// Who it is right now, for a request to `session`, by this door, with this token.
    pub fn actor(&self, via: Via, token: Option<&str>, session: Option<SessionId>, tokens: &Tokens) -> Actor {
        if let Some(token) = token {
            return match tokens.attempt(token) {
                Some((of, _)) if session.is_some_and(|session| session != of) => other(OtherWhy::OtherSession),
                Some((_, attempt)) => Actor::Agent { attempt },
                None => other(OtherWhy::DeadToken),
            };
        }
        if via == Via::Mcp {
            return other(OtherWhy::McpWithoutToken);
        }
        match self.origin() {
            Ok(None) => Actor::Human,
            Ok(Some(why)) => other(why),
            Err(_) => other(OtherWhy::UnknownOrigin),
        }
    }

    /// Why it is no human's process, if it is none: walks its ancestors up to the first process.
    fn origin(&self) -> io::Result<Option<OtherWhy>> {
        let (Some(mut pid), Some(started)) = (self.pid, self.started) else {
            return Ok(Some(OtherWhy::UnknownOrigin));
        };
        if running(pid)?.start_ticks != started {
            return Ok(Some(OtherWhy::UnknownOrigin));
        }
        let own = std::process::id();
        for _ in 0..MAX_ANCESTORS {
            if pid == own {
                return Ok(Some(OtherWhy::BelowDaemon));
            }
            if carries_marker(pid) {
                return Ok(Some(OtherWhy::AttemptMarker));
            }
            match running(pid)?.parent {
                // Every guard is the daemon's child, so a chain through a guard reaches the daemon.
                0 | 1 => return Ok(None),
                parent => pid = parent,
            }
        }
        Ok(Some(OtherWhy::UnknownOrigin))
    }
}

fn running(pid: u32) -> io::Result<Stat> {
    process::read(pid).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the process is gone"))
}

const fn other(why: OtherWhy) -> Actor {
    Actor::Other { why }
}

/// Whether a process started with a marker in its environment. One that may not be read belongs to another user (a
/// terminal, a session manager), and such a process is none of an attempt's.
fn carries_marker(pid: u32) -> bool {
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|variable| {
        [leftover::ATTEMPT, leftover::CHECK]
            .iter()
            .any(|marker| variable.strip_prefix(marker.as_bytes()).is_some_and(|rest| rest.starts_with(b"=")))
    })
}
