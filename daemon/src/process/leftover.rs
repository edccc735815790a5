//! At the next start: ending what an attempt left whose guard could not end it.
//!
//! A process belongs to the attempt if it runs as our user and its environment carries the attempt's marker, exactly.
//! Names and numbers alone prove nothing, so nobody else's process is touched.

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
/// How long one pass waits for what it killed to be gone, in milliseconds.
const PATIENCE_MS: u16 = 2_000;

/// Kills the recorded guard, if it still runs, and every process that carries the attempt's marker. Returns how many
/// processes got the signal. Zero after a reboot: then nothing of it can be left. Blocks until they are gone (at most
/// 2 s a pass).
pub fn end(attempt: AttemptId, guard: &GuardProcess) -> u32 {
    if boot_id().as_ref() != Some(&guard.boot_id) {
        return 0;
    }
    let marker = format!("{MARKER}={attempt}");
    let mut ended: Vec<(u32, u64)> = Vec::new();
    for _ in 0..PASSES {
        let mut waiting = Vec::new();
        let mut found = false;
        for process in stat::all().into_iter().filter(|process| process.state == State::Alive) {
            let is_guard = process.pid == guard.pid && process.start_ticks == guard.start_ticks;
            let key = (process.pid, process.start_ticks);
            if ended.contains(&key) || !(is_guard || carries(&process, &marker)) {
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
