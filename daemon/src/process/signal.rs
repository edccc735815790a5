//! Signalling exactly one process, even if its number is used again in between.

use super::over::is_over;
use super::stat::{self, Stat};
use nix::unistd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use std::os::fd::OwnedFd;
use std::time::Duration;

/// How long is waited for each that was killed to be gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// What became of a signal.
#[derive(Debug)]
pub enum Sent {
    /// It was sent. The descriptor, where the kernel has such, becomes readable when the process is over.
    To(Option<OwnedFd>),
    /// The process is gone, is another one by now, or may not be signalled.
    Nobody,
}

/// Sends a signal to the process that `stat` describes and to no other: the descriptor is opened first, and the start
/// time read again after it, so a number that was given away meanwhile is noticed. A kernel without such descriptors
/// gets the plain call right after the second look.
pub fn send(target: &Stat, signal: Signal) -> Sent {
    let Some(pid) = i32::try_from(target.pid).ok().and_then(Pid::from_raw) else { return Sent::Nobody };
    if target.pid == unistd::getpid().as_raw().unsigned_abs() {
        return Sent::Nobody;
    }
    let descriptor = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(descriptor) => Some(descriptor),
        Err(Errno::NOSYS | Errno::PERM) => None,
        Err(_) => return Sent::Nobody,
    };
    if stat::read(target.pid).is_none_or(|now| now.start_ticks != target.start_ticks) {
        return Sent::Nobody;
    }
    let sent = match &descriptor {
        Some(descriptor) => pidfd_send_signal(descriptor, signal),
        None => kill_process(pid, signal),
    };
    if sent.is_ok() { Sent::To(descriptor) } else { Sent::Nobody }
}

/// Waits until what was killed is over.
pub(super) fn wait_until_gone(processes: &[OwnedFd]) {
    for process in processes {
        // Out of patience with one means it hangs in the kernel: it has its signal and can do nothing more.
        if !is_over(process, PATIENCE).unwrap_or(true) {
            return;
        }
    }
}
