//! A gate before the log's writer: a test names an event, and the commit that would hold it waits until the test lets it go.
//!
//! `GOALD_CRASH_GATE=FOLDER`: its file `wanted` has the event's type and, in its second line, what its data hold. The commit
//! takes that file away, opens the pipe `reached` for writing, then the pipe `go` for reading; each waits for the test.

use goald_schema::event::Event;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

const GATE: &str = "GOALD_CRASH_GATE";

/// Waits at the gate if one of these events is wanted.
pub fn before_commit<'a>(events: impl Iterator<Item = &'a Event>) {
    let Some(folder) = std::env::var_os(GATE) else { return };
    // A gate that does not work is missed by the test that waits at it.
    wait(Path::new(&folder), events).ok();
}

fn wait<'a>(folder: &Path, mut events: impl Iterator<Item = &'a Event>) -> io::Result<()> {
    let wanted = std::fs::read_to_string(folder.join("wanted"))?;
    let (kind, holds) = wanted.trim_end().split_once('\n').unwrap_or((wanted.trim_end(), ""));
    let fits = |event: &Event| event.kind() == kind && event.encode().is_ok_and(|data| data.contains(holds));
    if events.any(fits) {
        std::fs::remove_file(folder.join("wanted"))?;
        drop(OpenOptions::new().write(true).open(folder.join("reached"))?);
        drop(File::open(folder.join("go"))?);
    }
    Ok(())
}
