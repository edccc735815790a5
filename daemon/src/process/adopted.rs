//! What becomes the daemon's child without having been started by it: whatever a killed guard held.
//!
//! The daemon is a subreaper, so an orphan of a lost guard stays below it, however empty its environment: it is told from a
//! person's process, and ended. A process of somebody else is never among them, for all that the daemon starts are guards.

use super::below::below;
use super::signal::{Sent, send, wait_until_gone};
use super::stat::{self, Stat, State};
use nix::sys::prctl;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::process::{Child, Command};

/// The children of this process are one for the whole of it, so their record is too.
static STARTED: Mutex<Started> = Mutex::new(Started { pids: BTreeSet::new(), before: Before::Unknown });
/// A process can fork while `/proc` is read; never more looks than this.
const PASSES: u32 = 32;

struct Started {
    pids: BTreeSet<u32>,
    before: Before,
}

/// Whether this process had children before it was a daemon, as one that a script had started before its `exec`. Their
/// orphans come to us too and are not ours to end.
#[derive(PartialEq, Eq)]
enum Before {
    /// Nobody has looked: this process keeps no orphans.
    Unknown,
    /// None: every child that is no guard was left by one.
    None,
    /// Some.
    Some,
}

fn started() -> MutexGuard<'static, Started> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on orphans of lost guards stay below this process.
///
/// # Errors
/// The kernel's: it has no subreapers.
pub fn keep() -> io::Result<()> {
    let mut started = started();
    prctl::set_child_subreaper(true)?;
    started.before = if children(&stat::all()).is_empty() { Before::None } else { Before::Some };
    Ok(())
}

/// Starts a child and remembers that it is this process's own. To be followed by [`forget`] once it is reaped.
///
/// # Errors
/// The system's.
pub fn start(command: &mut Command) -> io::Result<Child> {
    // Held over the start: no look at the children comes between the child and its name on the list.
    let mut started = started();
    let child = command.spawn()?;
    started.pids.extend(child.id());
    Ok(child)
}

/// It is reaped: its number may be another's now.
pub fn forget(pid: Option<u32>) {
    if let Some(pid) = pid {
        started().pids.remove(&pid);
    }
}

/// Whether this process started it, and has not reaped it.
pub fn is_own(pid: u32) -> bool {
    started().pids.contains(&pid)
}

/// Reaps orphans that have ended; never a child that somebody here waits for.
pub fn reap() {
    let started = started();
    for orphan in orphans(&started, &stat::all()).filter(|orphan| orphan.state == State::Zombie) {
        if let Ok(pid) = i32::try_from(orphan.pid) {
            // One that is gone already needs no reaping.
            let _gone = waitpid(Pid::from_raw(pid), Some(WaitPidFlag::WNOHANG));
        }
    }
}

/// Kills every orphan and what is below it, until a look finds none without its signal, and reaps them. Returns how many got
/// it. Blocks until they are gone (at most 2 s each).
pub fn end() -> u32 {
    let mut ended = BTreeSet::new();
    let mut waiting = Vec::new();
    for _ in 0..PASSES {
        let all = stat::all();
        let started = started();
        if started.before != Before::None {
            return 0;
        }
        let roots: Vec<Stat> = orphans(&started, &all).collect();
        drop(started);
        let mut tree = below(&all, |stat| roots.contains(stat));
        tree.extend(roots);
        let mut found = false;
        for process in tree.iter().filter(|process| process.state == State::Alive) {
            if !ended.contains(&(process.pid, process.start_ticks))
                && let Sent::To(descriptor) = send(process, Signal::KILL)
            {
                waiting.extend(descriptor);
                found |= ended.insert((process.pid, process.start_ticks));
            }
        }
        if !found {
            break;
        }
    }
    wait_until_gone(&waiting);
    reap();
    u32::try_from(ended.len()).unwrap_or(u32::MAX)
}

fn children(all: &[Stat]) -> Vec<Stat> {
    let us = std::process::id();
    all.iter().filter(|stat| stat.parent == us).copied().collect()
}

fn orphans<'a>(started: &'a Started, all: &[Stat]) -> impl Iterator<Item = Stat> + use<'a> {
    children(all).into_iter().filter(|child| !started.pids.contains(&child.pid))
}
