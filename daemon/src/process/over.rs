//! Whether a process that is held by a descriptor is over.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Whether the process of this descriptor (a pidfd) is over, or becomes so within `patience`; zero only looks. A signal to
/// this process that comes in between is no answer: it is asked again.
///
/// # Errors
/// The kernel's.
pub fn is_over(process: impl AsFd, patience: Duration) -> io::Result<bool> {
    let begun = Instant::now();
    loop {
        let left = patience.saturating_sub(begun.elapsed()).as_micros().div_ceil(1_000);
        let mut watched = [PollFd::new(process.as_fd(), PollFlags::POLLIN)];
        match poll(&mut watched, PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
