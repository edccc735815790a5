//! `goal doctor`: what is well is said to be, each kind of damage is told by its code, and nothing is ever changed.

mod beside;
pub mod damage;
mod places;
mod recover;

use crate::harness::{Ran, World};
use goald_schema::doctor::{DoctorReport, Finding, FindingCode, Level};
use std::collections::BTreeMap;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Words of a goal, which nobody who asks the doctor is told.
const OBJECTIVE: &str = "whisper nothing of this";

/// Everything about a file that a look must not change.
type Untouched = (u32, u32, u64, i64, i64, Vec<u8>);

/// A state folder, file by file.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Untouched> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        let metadata = std::fs::symlink_metadata(&path).expect("there");
        let bytes = if metadata.is_dir() {
            left.extend(std::fs::read_dir(&path).expect("read").map(|entry| entry.expect("an entry").path()));
            Vec::new()
        } else if metadata.file_type().is_socket() {
            Vec::new()
        } else {
            std::fs::read(&path).expect("read")
        };
        let what = (metadata.mode(), metadata.uid(), metadata.ino(), metadata.mtime(), metadata.mtime_nsec(), bytes);
        found.insert(path, what);
    }
    found
}

/// A report, which is strictly what its type says, as the generated schema is.
fn report(ran: Ran, code: i32) -> DoctorReport {
    let value = ran.json(code);
    let report: DoctorReport = serde_json::from_value(value.clone()).expect("a report");
    assert_eq!(serde_json::to_value(&report).expect("JSON"), value);
    assert_eq!(report.sound, code == 0);
    for finding in &report.findings {
        assert_eq!(finding.code.is_none(), finding.level == Level::Ok, "{finding:?}");
        assert!(finding.level != Level::Problem || finding.hint.is_some(), "what to do: {finding:?}");
    }
    report
}

/// Looks at a state folder that nobody uses, asserts that nothing changes, and gives what is not well.
fn examined(world: &World, code: i32) -> Vec<Finding> {
    let temporary = world.work().join("tmp");
    std::fs::create_dir_all(&temporary).expect("made");
    let before = snapshot(&world.home());
    let look = |args: &[&str]| {
        crate::harness::finished(world.command(args).env("TMPDIR", &temporary).output().expect("started"))
    };
    let report = report(look(&["doctor", "--json"]), code);
    let text = look(&["doctor"]).exits(code);
    assert!(!text.contains(OBJECTIVE), "{text}");
    for finding in report.findings.iter().filter(|finding| finding.level == Level::Problem) {
        let code = finding.code.expect("a code");
        assert!(text.contains(&format!("problem {code}: ")), "{code} in {text}");
    }
    assert!(before == snapshot(&world.home()), "nothing in the state folder changes");
    assert_eq!(std::fs::read_dir(&temporary).expect("read").count(), 0, "no copy is left");
    report.findings.into_iter().filter(|finding| finding.level != Level::Ok).collect()
}

/// The codes of the problems.
fn problems(world: &World) -> Vec<&'static str> {
    codes(&examined(world, 1))
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    let wrong = findings.iter().filter(|finding| finding.level == Level::Problem);
    wrong.filter_map(|finding| finding.code.map(FindingCode::as_str)).collect()
}

/// Two sessions, each with an unfinished goal that has had a round, and no daemon.
fn kept() -> World {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; echo out");
    for session in ["first", "second"] {
        let run = ["-s", session, "run", "--agent", "./agent.sh", "--max-rounds", "1", "--check", "false", OBJECTIVE];
        world.goal(&run).exits(3);
    }
    world.goal(&["daemon", "stop"]).exits(0);
    world
}

#[test]
fn a_sound_home_has_no_problem_and_stays_as_it_is() {
    let world = kept();
    let findings = examined(&world, 0);
    // Where this runs the kernel may not enforce everything; nothing else is worth a note.
    let noted = |finding: &&Finding| finding.code != Some(FindingCode::NotEnforced);
    assert_eq!(findings.iter().filter(noted).collect::<Vec<_>>(), Vec::<&Finding>::new());
    let text = world.goal(&["doctor"]).exits(0);
    for said in ["no daemon runs", "2 sessions with ", "2 output files", "\nsound"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}
