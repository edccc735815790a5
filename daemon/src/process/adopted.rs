//! What a lost guard leaves comes to the daemon, as the next subreaper above it, whatever it did to its environment. It stays
//! below the daemon, and so is never taken for a person, until it is ended here.
//!
//! A guard is in the daemon's session; what it started is not, and can never be again. So a child of the daemon in another
//! session is what a lost guard has left, and nothing else is.

use super::signal::{Sent, send};
use super::stat::{self, Stat, State};
use nix::sys::prctl;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use rustix::process::Signal;
use std::sync::atomic::{AtomicBool, Ordering};

/// Every pass goes one generation deeper: the children of what was killed come to the daemon as well.
const PASSES: u32 = 1_000;

/// Whether this process adopts: one setting for the whole process, as the kernel has it.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// Makes this process the one that orphans below it come to. Not where it has children already, which it did not start:
/// then nobody could tell theirs from a guard's. Returns whether it adopts.
pub fn begin() -> bool {
    let own = std::process::id();
    let has_children = stat::all().iter().any(|process| process.parent == own);
    let adopts = !has_children && prctl::set_child_subreaper(true).is_ok();
    ADOPTS.store(adopts, Ordering::Relaxed);
    adopts
}

/// Kills and reaps everything that lost guards have left to this process. Returns how many processes got the signal. Blocks
/// until they are gone.
pub fn end() -> u32 {
    if !ADOPTS.load(Ordering::Relaxed) {
        return 0;
    }
    let mut ended = 0_u32;
    for _ in 0..PASSES {
        let mut reaped = false;
        for process in orphans() {
            match (process.state, send(&process, Signal::KILL)) {
                (State::Alive, Sent::To(_)) => ended = ended.saturating_add(1),
                (State::Zombie, _) => {}
                // One that has become another user's may not be signalled, and is not waited for.
                (State::Alive, Sent::Nobody) => continue,
            }
            let Ok(pid) = i32::try_from(process.pid) else { continue };
            reaped |= waitpid(Pid::from_raw(pid), None::<WaitPidFlag>).is_ok();
        }
        if !reaped {
            break;
        }
    }
    ended
}

fn orphans() -> Vec<Stat> {
    let own = std::process::id();
    let all = stat::all();
    let Some(session) = all.iter().find(|process| process.pid == own).map(|process| process.session) else {
        return Vec::new();
    };
    all.into_iter().filter(|process| process.parent == own && process.session != session).collect()
}
