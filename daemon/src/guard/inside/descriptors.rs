//! The guard's descriptors: which it takes over, and that its agent gets none but its three streams.

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::unistd;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};

/// The socket on standard input, closed to children and out of the way of theirs.
pub fn take_stdin() -> io::Result<OwnedFd> {
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    unistd::dup2_stdin(File::open("/dev/null")?)?;
    Ok(socket)
}

/// Closes to children whatever the daemon's own starter has left open and every process since has inherited: a lock, a
/// pipe that somebody waits on.
pub fn close_inherited_to_children() -> io::Result<()> {
    let open: Vec<RawFd> =
        fs::read_dir("/proc/self/fd")?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for number in open.into_iter().filter(|number| *number > 2) {
        #[expect(unsafe_code, reason = "the number is all there is of a descriptor that was inherited")]
        // SAFETY: the descriptor is only borrowed for the one call, which reports one that is not open as an error.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        match fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)) {
            // The one by which the folder was read.
            Ok(_) | Err(Errno::EBADF) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
