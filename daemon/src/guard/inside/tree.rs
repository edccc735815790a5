//! Every process below the guard. As a subreaper it stays an ancestor of all of them, however often they fork or leave
//! their session.

use crate::process::{self, Sent, Stat};
use nix::errno::Errno;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use rustix::process::Signal;
use std::collections::HashSet;

/// A fork bomb may outrun one pass; after this many the next event gives another turn.
const PASSES: u32 = 64;

/// The living and dead descendants of this process.
fn below_us() -> Vec<Stat> {
    let us = std::process::id();
    process::below(&process::all(), |stat| stat.pid == us)
}

/// Sends a signal once to every process of the tree.
pub fn signal(signal: Signal) {
    for stat in below_us() {
        process::send(&stat, signal);
    }
}

/// Kills the tree, again and again until a look at it finds nothing that has not had its signal.
#[derive(Default)]
pub struct Killing {
    had_it: HashSet<(u32, u64)>,
}

impl Killing {
    /// One turn. To be called again whenever a process has ended: its children are only now seen to be ours.
    pub fn turn(&mut self) {
        for _ in 0..PASSES {
            let mut found = false;
            for stat in below_us() {
                let key = (stat.pid, stat.start_ticks);
                if !self.had_it.contains(&key)
                    && stat.state == process::State::Alive
                    && let Sent::To(_) = process::send(&stat, Signal::KILL)
                {
                    found |= self.had_it.insert(key);
                }
            }
            if !found {
                return;
            }
        }
    }

    /// How many processes were killed.
    pub fn count(&self) -> u32 {
        u32::try_from(self.had_it.len()).unwrap_or(u32::MAX)
    }
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exited {
    /// With an exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

/// Whether anything is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// At least one process.
    Some,
    /// Nothing at all.
    Nothing,
}

/// Reaps what has ended and tells `each` about it.
pub fn reap(mut each: impl FnMut(u32, Exited)) -> Left {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) => each(pid.as_raw().unsigned_abs(), Exited::Code(code)),
            Ok(WaitStatus::Signaled(pid, signal, _)) => {
                each(pid.as_raw().unsigned_abs(), Exited::Signal(signal as i32));
            }
            Ok(WaitStatus::StillAlive) => return Left::Some,
            // Interrupted, stopped or continued: look again.
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return Left::Nothing,
        }
    }
}
