//! At the next start: ending what an attempt left whose guard could not end it.
//!
//! A process belongs to the attempt if it runs as our user and its environment carries the attempt's marker, exactly, or
//! if it is below one that does: a child with an empty environment is found by its parent. So that none slips away while
//! its parent is killed, all are stopped first. Names and numbers alone prove nothing, so nobody else's process is touched.

use super::below::below;
use super::identity::boot_id;
use super::signal::{Sent, send};
use super::stat::{self, Stat, State};
use goald_schema::event::GuardProcess;
use goald_schema::id::AttemptId;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd;
use rustix::process::Signal;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

/// The variable that marks every process of an attempt.
pub const MARKER: &str = "GOALD_ATTEMPT";

/// A process can fork while `/proc` is being read, so it is read until nothing new is found; never more often than this.
const PASSES: u32 = 32;
/// How long is waited for each that was killed to be gone, in milliseconds.
const PATIENCE_MS: u16 = 2_000;

/// Kills the recorded guard, if it still runs, and every process that carries the attempt's marker. Returns how many
/// processes got the signal. Zero after a reboot: then nothing of it can be left. Blocks until they are gone (at most
/// 2 s each).
pub fn end(attempt: AttemptId, guard: &GuardProcess) -> u32 {
    if boot_id().as_ref() != Some(&guard.boot_id) {
        return 0;
    }
    let marker = format!("{MARKER}={attempt}");
    let mut stopped: Vec<Stat> = Vec::new();
    for _ in 0..PASSES {
        let all = stat::all();
        let is_known = |process: &Stat| stopped.iter().any(|known| is_same(known, process));
        let is_guard = |process: &Stat| process.pid == guard.pid && process.start_ticks == guard.start_ticks;
        let is_its = |process: &&Stat| is_guard(process) || is_known(process) || carries(process, &marker);
        let its: Vec<Stat> = all.iter().filter(is_its).copied().collect();
        let mut found = below(&all, |process| its.contains(process));
        found.retain(|process| !its.contains(process));
        found.extend(its);
        found.retain(|process| process.state == State::Alive && !is_known(process));
        found.retain(|process| matches!(send(process, Signal::STOP), Sent::To(_)));
        if found.is_empty() {
            break;
        }
        stopped.extend(found);
    }
    let mut ended: u32 = 0;
    let mut waiting = Vec::new();
    for process in &stopped {
        if let Sent::To(descriptor) = send(process, Signal::KILL) {
            ended = ended.saturating_add(1);
            waiting.extend(descriptor);
        }
    }
    wait_until_gone(&waiting);
    ended
}

fn is_same(one: &Stat, other: &Stat) -> bool {
    one.pid == other.pid && one.start_ticks == other.start_ticks
}

/// Whether a process of our user has exactly this variable in its environment.
fn carries(process: &Stat, marker: &str) -> bool {
    let folder = format!("/proc/{}", process.pid);
    let ours = fs::metadata(&folder).is_ok_and(|meta| meta.uid() == unistd::geteuid().as_raw());
    ours && fs::read(format!("{folder}/environ"))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes()))
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
