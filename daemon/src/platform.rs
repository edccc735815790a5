//! What this system enforces of what goald promises, and what stands in where it cannot: for `goal doctor`.
//!
//! Looks, and changes nothing.

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::socket::{getsockopt, sockopt};
use rustix::process::{PidfdFlags, getpid, pidfd_open};
use std::os::unix::net::UnixStream;

/// Whether something is enforced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enforced {
    /// By the kernel.
    Yes,
    /// Not by the kernel; something weaker stands in.
    Fallback,
    /// Not at all.
    No,
}

/// One thing that a system may enforce.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capability {
    /// A stable name, lower-kebab-case.
    pub name: &'static str,
    /// Whether it does.
    pub enforced: Enforced,
    /// What that means here, for people.
    pub what: &'static str,
}

/// Everything that matters to goald, always in the same order.
pub fn report() -> Vec<Capability> {
    vec![peer_descriptor(), process_descriptor(), subreaper(), parent_death(), process_view(), landlock()]
}

fn peer_descriptor() -> Capability {
    let held = UnixStream::pair().map(|(near, _far)| getsockopt(&near, sockopt::PeerPidfd));
    let (enforced, what) = match held {
        Ok(Ok(_)) => (Enforced::Yes, "who asks is held by the kernel from the moment it connects (SO_PEERPIDFD)"),
        Ok(Err(Errno::ENOPROTOOPT)) => {
            (Enforced::Fallback, "who asks is told by process number and start time: no SO_PEERPIDFD (Linux 6.5)")
        }
        Ok(Err(_)) | Err(_) => (Enforced::No, "the system does not say who asks: nobody counts as a person"),
    };
    Capability { name: "peer-pidfd", enforced, what }
}

fn process_descriptor() -> Capability {
    let (enforced, what) = match pidfd_open(getpid(), PidfdFlags::empty()) {
        Ok(_) => (Enforced::Yes, "signals reach exactly the process that is meant (pidfd)"),
        Err(_) => (Enforced::Fallback, "signals are sent by number, right after a look at the start time: no pidfd"),
    };
    Capability { name: "pidfd", enforced, what }
}

fn subreaper() -> Capability {
    let (enforced, what) = match prctl::get_child_subreaper() {
        Ok(_) => (Enforced::Yes, "whatever an agent starts stays below its guard, and then below the daemon"),
        Err(_) => (Enforced::No, "processes that leave their parent are found by their environment alone"),
    };
    Capability { name: "subreaper", enforced, what }
}

fn parent_death() -> Capability {
    let (enforced, what) = match prctl::get_pdeathsig() {
        Ok(_) => (Enforced::Yes, "an agent dies with its guard (parent-death signal)"),
        Err(_) => (Enforced::No, "an agent whose guard is killed is ended by the daemon, or at its next start"),
    };
    Capability { name: "parent-death-signal", enforced, what }
}

fn process_view() -> Capability {
    let own = std::process::id();
    let number = std::fs::read_link("/proc/self").ok().and_then(|link| link.to_str()?.parse::<u32>().ok());
    let first = crate::process::read(1).is_some();
    let namespace = std::fs::read_link("/proc/self/ns/pid").is_ok();
    let (enforced, what) = if number == Some(own) && first && namespace {
        (Enforced::Yes, "ancestors and process namespaces can be seen in /proc")
    } else {
        (Enforced::No, "/proc hides processes or is another namespace's: nobody counts as a person")
    };
    Capability { name: "process-view", enforced, what }
}

fn landlock() -> Capability {
    // The list is readable where securityfs is mounted; the version alone would need a raw system call.
    let list = std::fs::read_to_string("/sys/kernel/security/lsm");
    let (enforced, what) = match list {
        Ok(list) if list.trim().split(',').any(|module| module == "landlock") => {
            (Enforced::Yes, "the kernel can fence files (Landlock); goald does not use it yet")
        }
        Ok(_) => (Enforced::No, "the kernel cannot fence files: no Landlock"),
        Err(_) => (Enforced::No, "whether the kernel has Landlock cannot be read here; goald does not use it yet"),
    };
    Capability { name: "landlock", enforced, what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_capability_is_told_once_and_by_a_stable_name() {
        let names: Vec<&str> = report().iter().map(|capability| capability.name).collect();
        let expected = ["peer-pidfd", "pidfd", "subreaper", "parent-death-signal", "process-view", "landlock"];
        assert_eq!(names, expected);
        assert!(report().iter().all(|capability| !capability.what.is_empty()));
    }

    #[test]
    fn what_the_guard_needs_is_enforced_on_linux() {
        for needed in ["pidfd", "subreaper", "parent-death-signal", "process-view"] {
            let found = report().into_iter().find(|capability| capability.name == needed).expect("told");
            assert_eq!(found.enforced, Enforced::Yes, "{found:?}");
        }
    }

    #[test]
    fn a_peer_is_held_by_the_kernel_from_linux_6_5_on() {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").expect("Linux");
        let mut numbers = release.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<u32>().ok());
        let version = (numbers.next().expect("major"), numbers.next().expect("minor"));
        let expected = if version >= (6, 5) { Enforced::Yes } else { Enforced::Fallback };
        assert_eq!(peer_descriptor().enforced, expected);
    }
}
