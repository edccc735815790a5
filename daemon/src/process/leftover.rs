//! Ending what an attempt or a check left whose guard could not end it.
//!
//! A process belongs to it if it runs as our user and its environment carries exactly its mark. Names and numbers alone
//! prove nothing, so nobody else's process is touched.

use super::identity::boot_id;
use super::signal::{Sent, send};
use super::stat::{self, Stat, State};
use goald_schema::event::GuardProcess;
use goald_schema::id::{AttemptId, SessionId};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd;
use rustix::process::Signal;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

/// The variable that marks every process of an attempt.
pub const ATTEMPT: &str = "GOALD_ATTEMPT";
/// The variable that marks every process of a check.
pub const CHECK: &str = "GOALD_CHECK";

/// What every process of an attempt or of a check carries in its environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// An attempt's.
    Attempt(AttemptId),
    /// That of a check of this attempt's turn. The session tells whose log it belongs to: no check is recorded before it
    /// is over.
    Check(SessionId, AttemptId),
}

impl Mark {
    /// The name of the variable.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Attempt(_) => ATTEMPT,
            Self::Check(..) => CHECK,
        }
    }

    /// Its value.
    pub fn value(&self) -> String {
        match self {
            Self::Attempt(attempt) => attempt.to_string(),
            Self::Check(session, attempt) => format!("{session}/{attempt}"),
        }
    }
}

/// A process can fork while `/proc` is being read, so it is read until nothing new is found; never more often than this.
const PASSES: u32 = 32;
/// How long one pass waits for what it killed to be gone, in milliseconds.
const PATIENCE_MS: u16 = 2_000;

/// Kills the recorded guard, if it still runs, and every process that carries the mark. Returns how many processes got the
/// signal. Zero after a reboot: then nothing of it can be left. Blocks until they are gone (at most 2 s a pass).
pub fn end(mark: Mark, guard: &GuardProcess) -> u32 {
    if boot_id().as_ref() != Some(&guard.boot_id) {
        return 0;
    }
    let (name, value) = (mark.name(), mark.value());
    end_all(|process| {
        let is_guard = process.pid == guard.pid && process.start_ticks == guard.start_ticks;
        is_guard || carries(process, name, |of| of == value.as_bytes())
    })
}

/// At a daemon's start, when none can be running: kills what checks of these sessions left, whichever they were. Returns
/// how many processes got the signal. Blocks until they are gone (at most 2 s a pass).
pub fn end_checks(sessions: &[SessionId]) -> u32 {
    let ours: Vec<String> = sessions.iter().map(|session| format!("{session}/")).collect();
    end_all(|process| carries(process, CHECK, |value| ours.iter().any(|ours| value.starts_with(ours.as_bytes()))))
}

fn end_all(belongs: impl Fn(&Stat) -> bool) -> u32 {
    let mut ended: Vec<(u32, u64)> = Vec::new();
    for _ in 0..PASSES {
        let mut waiting = Vec::new();
        let mut found = false;
        for process in stat::all().into_iter().filter(|process| process.state == State::Alive) {
            let key = (process.pid, process.start_ticks);
            if ended.contains(&key) || !belongs(&process) {
                continue;
            }
            if let Sent::To(descriptor) = send(&process, Signal::KILL) {
                ended.push(key);
                waiting.extend(descriptor);
                found = true;
            }
        }
        if !found {
            break;
        }
        wait_until_gone(&waiting);
    }
    u32::try_from(ended.len()).unwrap_or(u32::MAX)
}

/// Whether a process of our user has this variable in its environment, with a value that fits.
fn carries(process: &Stat, name: &str, fits: impl Fn(&[u8]) -> bool) -> bool {
    let folder = format!("/proc/{}", process.pid);
    let ours = fs::metadata(&folder).is_ok_and(|meta| meta.uid() == unistd::geteuid().as_raw());
    let value = |variable: &[u8]| variable.strip_prefix(name.as_bytes())?.strip_prefix(b"=").map(&fits);
    ours && fs::read(format!("{folder}/environ"))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|variable| value(variable) == Some(true)))
}

fn wait_until_gone(processes: &[OwnedFd]) {
    for process in processes {
        let mut watched = [PollFd::new(process.as_fd(), PollFlags::POLLIN)];
        // Out of patience with one means it hangs in the kernel: it has its signal and can do nothing more.
        if poll(&mut watched, PollTimeout::from(PATIENCE_MS)).is_ok_and(|ready| ready == 0) {
            return;
        }
    }
}
