//! Telling a process from a later one with the same number: pid, start time and boot.

use super::stat::{self, State};
use goald_schema::event::GuardProcess;
use std::fs;

/// The identity of a living process; `None` if there is none, or the system does not say.
pub fn identity(pid: u32) -> Option<GuardProcess> {
    let stat = stat::read(pid).filter(|stat| stat.state == State::Alive)?;
    Some(GuardProcess { pid, start_ticks: stat.start_ticks, boot_id: boot_id()? })
}

/// Whether exactly this process still runs. A zombie does not.
pub fn is_alive(process: &GuardProcess) -> bool {
    identity(process.pid).as_ref() == Some(process)
}

/// The kernel's id of this boot.
pub(super) fn boot_id() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_another_start_time_or_boot_is_somebody_else() {
        let this = identity(std::process::id()).expect("this process is there");
        assert!(is_alive(&this));
        assert!(!is_alive(&GuardProcess { start_ticks: this.start_ticks + 1, ..this.clone() }));
        assert!(!is_alive(&GuardProcess { boot_id: "another".to_owned(), ..this }));
    }

    #[test]
    fn a_number_without_process_has_no_identity() {
        assert_eq!(identity(u32::MAX), None);
        assert_eq!(identity(0), None);
    }
}
