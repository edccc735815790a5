//! Ending what an attempt or a check left whose guard could not end it: at the next start, or when a guard is lost.
//!
//! A process belongs to it if it runs as our user and its environment carries its mark, exactly, or if it is below one that
//! does: a child with an empty environment is found by its parent. So that none slips away while its parent is killed, all
//! are stopped first. Names and numbers alone prove nothing, so nobody else's process is touched.

use super::below::below;
use super::identity::boot_id;
use super::signal::{Sent, send, wait_until_gone};
use super::stat::{self, Stat, State};
use goald_schema::event::GuardProcess;
use goald_schema::id::AttemptId;
use nix::unistd;
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use uuid::Uuid;

/// The variable that marks every process of an attempt.
pub const MARKER: &str = "GOALD_ATTEMPT";
/// The variable that marks every process of a check.
pub const CHECK_MARKER: &str = "GOALD_CHECK";

/// A process can fork while `/proc` is being read, so it is read until nothing new is found; never more often than this.
const PASSES: u32 = 32;

/// By which variable the processes of one attempt or check are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark(String);

impl Mark {
    /// The attempt's: its id.
    pub fn attempt(attempt: AttemptId) -> Self {
        Self(format!("{MARKER}={attempt}"))
    }

    /// The one that this environment carries.
    pub fn of(environment: &BTreeMap<String, String>) -> Option<Self> {
        let carried = |name: &&str| environment.contains_key(*name);
        let name = [MARKER, CHECK_MARKER].into_iter().find(carried)?;
        environment.get(name).map(|value| Self(format!("{name}={value}")))
    }
}

/// The value of a check's marker: which check it is, and of which state folder.
pub fn check_value(check: Uuid, state: &Path) -> String {
    format!("{check}{}", of_state(state))
}

fn of_state(state: &Path) -> String {
    format!("@{}", state.display())
}

/// Kills the recorded guard, if it still runs, and every process that carries the mark. Returns how many processes got the
/// signal. Zero after a reboot: then nothing of it can be left. Blocks until they are gone (at most 2 s a pass).
pub fn end(mark: &Mark, guard: &GuardProcess) -> u32 {
    if boot_id().as_ref() != Some(&guard.boot_id) {
        return 0;
    }
    end_all(|process| {
        let is_guard = process.pid == guard.pid && process.start_ticks == guard.start_ticks;
        is_guard || carries(process, |variable| variable == mark.0.as_bytes())
    })
}

/// Kills every process of every check of this state folder: for a daemon that has it to itself and has begun none. Returns
/// how many got the signal. Blocks as [`end`] does.
pub fn end_checks(state: &Path) -> u32 {
    let (marker, state) = (format!("{CHECK_MARKER}="), of_state(state));
    let of_this = |variable: &[u8]| variable.starts_with(marker.as_bytes()) && variable.ends_with(state.as_bytes());
    end_all(|process| carries(process, of_this))
}

fn end_all(belongs: impl Fn(&Stat) -> bool) -> u32 {
    let mut stopped: Vec<Stat> = Vec::new();
    for _ in 0..PASSES {
        let all = stat::all();
        let is_known = |process: &Stat| stopped.iter().any(|known| is_same(known, process));
        let is_its = |process: &&Stat| is_known(process) || belongs(process);
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

/// Whether a process of our user has such a variable in its environment.
fn carries(process: &Stat, is_marker: impl Fn(&[u8]) -> bool) -> bool {
    let folder = format!("/proc/{}", process.pid);
    let ours = fs::metadata(&folder).is_ok_and(|meta| meta.uid() == unistd::geteuid().as_raw());
    ours && fs::read(format!("{folder}/environ")).is_ok_and(|environ| environ.split(|byte| *byte == 0).any(&is_marker))
}
