//! Whether a daemon has the state folder, told by its lock. Whether it answers is for whoever can ask.

use crate::home::Home;
use crate::store::Beside;
use goald_schema::doctor::{Area, Finding};
use nix::fcntl::{Flock, FlockArg};
use std::fs::File;

/// Tries the lock for a moment, by a descriptor that can write nothing. A daemon that starts just then waits for it.
pub fn beside(home: &Home) -> Beside {
    let Ok(file) = File::open(home.lock()) else { return Beside::Nobody };
    match Flock::lock(file, FlockArg::LockSharedNonblock) {
        Err((_, nix::errno::Errno::EWOULDBLOCK)) => Beside::Daemon,
        Ok(_) | Err(_) => Beside::Nobody,
    }
}

/// In words.
pub fn told(home: &Home, beside: Beside) -> Finding {
    match beside {
        Beside::Nobody => Finding::ok(Area::Daemon, "no daemon runs; the first command starts one"),
        Beside::Daemon => {
            let pid = std::fs::read_to_string(home.lock()).unwrap_or_default();
            Finding::ok(Area::Daemon, format!("a daemon runs (pid {})", pid.trim()))
        }
    }
}
