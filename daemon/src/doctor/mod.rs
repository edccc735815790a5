//! `goal doctor`: looks at everything goald keeps and at what the system enforces, and says what it finds.
//!
//! It works with a daemon and without one, and changes nothing: it creates, repairs, narrows and deletes nothing in the state
//! folder. It prints nothing itself, and tells ids, names and positions, but no text of a goal, prompt or message.

mod agents;
mod config;
mod daemon;
mod evidence;
mod files;
mod log;
mod places;
mod platform;
mod recover;
mod room;
mod sessions;

pub use recover::recover;

use crate::home::Home;
use crate::store::{Beside, Inspection};
use goald_schema::doctor::{DaemonSeen, DoctorReport, Finding};
use std::ffi::OsStr;

/// Looks at everything. `path` is the `PATH` in which agents' programs are looked up.
pub fn examine(home: &Home, path: Option<&OsStr>) -> DoctorReport {
    let mut findings = platform::look();
    let place = places::look(home);
    let there = place.is_there;
    let mut seen = DaemonSeen::Absent;
    findings.extend(place.findings);
    let (config, said) = config::look(home);
    findings.extend(said);
    if let Some(config) = &config {
        findings.extend(agents::look(config, &home.config, path));
    }
    if there {
        let before = daemon::beside(home);
        let cap = config.as_ref().map(|config| config.output_cap);
        let stored_before = stored(home, cap, before);
        let after = daemon::beside(home);
        // A daemon that has started meanwhile has written into what was read as if nobody did.
        let again = before == Beside::Nobody && after == Beside::Daemon;
        findings.extend(if again { stored(home, cap, after) } else { stored_before });
        findings.extend(files::look(home, after));
        findings.push(daemon::told(home, after));
        if after == Beside::Daemon {
            seen = DaemonSeen::Runs;
        }
    }
    let state = home.state.to_string_lossy().into_owned();
    DoctorReport::new(env!("CARGO_PKG_VERSION").to_owned(), state, seen, findings)
}

/// The log, its sessions, and what lies beside it.
fn stored(home: &Home, output_cap: Option<u64>, beside: Beside) -> Vec<Finding> {
    let database = home.database();
    let (mut findings, inspection) = log::open(home, || Inspection::open(&database, beside, &home.temporary));
    let Some(inspection) = inspection else { return findings };
    findings.extend(log::look(&inspection));
    let (named, said) = sessions::look(&inspection);
    findings.extend(said);
    findings.extend(evidence::look(home, &inspection, &named, output_cap, beside));
    findings
}

/// What a decoder says about damage, without what it quotes: that may be a goal's own text.
fn masked(said: &str) -> String {
    const MOST: usize = 1_000;
    let masked = match (said.find('"'), said.rfind('"')) {
        (Some(first), Some(last)) if first < last => format!("{}\"…\"{}", &said[..first], &said[last + 1..]),
        _ => said.to_owned(),
    };
    masked.chars().take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_decoder_quotes_is_not_told() {
        let said = r#"column actor: invalid type: string "the \"secret\" goal", expected u32 at line 1"#;
        assert_eq!(masked(said), r#"column actor: invalid type: string "…", expected u32 at line 1"#);
        assert_eq!(masked("event 3 is missing"), "event 3 is missing");
        assert_eq!(masked("a lone \" stays"), "a lone \" stays");
    }
}
