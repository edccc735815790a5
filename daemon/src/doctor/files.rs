//! Modes and owners of everything in the state folder, and what an interrupted write left there.

use super::places::unreadable;
use crate::home::Home;
use crate::store::Beside;
use goald_schema::doctor::{Area, Finding, FindingCode};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// At most so many files are told one by one for each kind of fault; the rest is counted.
const TOLD: usize = 10;

/// What was walked through.
#[derive(Default)]
struct Walk {
    open: Vec<String>,
    foreign: Vec<String>,
    leftover: Vec<String>,
    unreadable: Vec<Finding>,
    count: u64,
}

/// Walks through the state folder, without following links.
pub fn look(home: &Home, beside: Beside) -> Vec<Finding> {
    let mut walk = Walk::default();
    // The state folder may be reached by a link; what is in it may not lead out of it.
    let state = home.state.canonicalize().unwrap_or_else(|_| home.state.clone());
    let config = home.config.canonicalize().unwrap_or_else(|_| home.config.clone());
    let mut left = vec![state];
    while let Some(path) = left.pop() {
        match std::fs::symlink_metadata(&path) {
            Ok(found) => {
                // The configuration is the user's own file, and looked at as such.
                if path != config {
                    walk.one(&path, &found, beside);
                }
                if found.is_dir() {
                    left.extend(walk.below(&path));
                }
            }
            // It was there a moment ago: a daemon works here.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => walk.unreadable.push(unreadable(&path, &error)),
        }
    }
    walk.told()
}

impl Walk {
    fn below(&mut self, folder: &Path) -> Vec<PathBuf> {
        match std::fs::read_dir(folder) {
            Ok(entries) => entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect(),
            Err(error) => {
                self.unreadable.push(unreadable(folder, &error));
                Vec::new()
            }
        }
    }

    fn one(&mut self, path: &Path, found: &Metadata, beside: Beside) {
        self.count += 1;
        let shown = path.display();
        // A link has no mode of its own.
        if !found.is_symlink() && found.mode() & 0o077 != 0 {
            self.open.push(format!("{shown} (mode {:04o})", found.mode() & 0o7777));
        }
        let own = nix::unistd::geteuid().as_raw();
        if found.uid() != own {
            self.foreign.push(format!("{shown} (user {}, not {own})", found.uid()));
        }
        // With a daemon it may be a write on its way.
        let partial = path.extension().is_some_and(|extension| extension.to_string_lossy().starts_with("partial-"));
        if partial && beside == Beside::Nobody {
            self.leftover.push(shown.to_string());
        }
    }

    fn told(self) -> Vec<Finding> {
        let mut findings = self.unreadable;
        if self.open.is_empty() && self.foreign.is_empty() && findings.is_empty() {
            let said = format!("all {} files and folders are this user's alone", self.count);
            findings.push(Finding::ok(Area::Places, said));
        }
        findings.extend(some(&self.open).map(|which| {
            Finding::problem(Area::Places, FindingCode::OpenToOthers, format!("other users get at {which}"))
                .hint("chmod 700 folders, chmod 600 files; goal daemon restart narrows most of them")
        }));
        findings.extend(some(&self.foreign).map(|which| {
            Finding::problem(Area::Places, FindingCode::ForeignOwner, format!("not this user's: {which}"))
                .hint("look as the user that the daemon runs as, or chown them")
        }));
        findings.extend(some(&self.leftover).map(|which| {
            Finding::note(Area::Places, FindingCode::LeftoverFile, format!("an interrupted write left {which}"))
                .hint("it may be removed")
        }));
        findings
    }
}

/// The first of them in words, and how many more there are.
fn some(all: &[String]) -> Option<String> {
    let told = all.iter().take(TOLD).cloned().collect::<Vec<_>>().join(", ");
    match all.len() {
        0 => None,
        count if count > TOLD => Some(format!("{told} and {} more", count - TOLD)),
        _ => Some(told),
    }
}
