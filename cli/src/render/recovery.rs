//! `goal doctor --recover` for people: what is in the new file, everything that is not, and what to do now.

use super::escape::line;
use super::style::{BAD, GOOD, STRONG, paint};
use goald_schema::doctor::Recovered;
use goald_schema::recovery::{MissingBlob, PositionRange, RecoveredSession, Recovery};

/// At most so many lines of one kind; the rest is counted.
const TOLD: usize = 50;

/// The whole of it.
pub fn text(recovered: &Recovered) -> String {
    let recovery = &recovered.recovery;
    let mut lines = vec![format!(
        "{}: {} events of {} sessions and {} texts, up to position {}",
        paint(STRONG, &line(&recovered.file)),
        recovery.events,
        recovery.sessions.iter().filter(|session| session.events > 0).count(),
        recovery.blobs,
        recovery.newest
    )];
    let lost = lost(recovery);
    if lost.is_empty() {
        lines.push(paint(GOOD, "nothing is known to be missing"));
    } else {
        lines.push(paint(BAD, "missing:"));
        lines.extend(lost.iter().take(TOLD).map(|lost| format!("  {}", line(lost))));
        if lost.len() > TOLD {
            lines.push(format!("  and {} more: --json tells all", lost.len() - TOLD));
        }
    }
    lines.extend(recovery.notes.iter().map(|note| format!("note: {}", line(note))));
    lines.push(paint(STRONG, "to go on with it:"));
    lines.extend(recovered.next.iter().map(|command| format!("  {}", line(command))));
    lines.join("\n") + "\n"
}

fn lost(recovery: &Recovery) -> Vec<String> {
    let sessions = recovery.sessions.iter().filter(|session| session.missing.is_some() || session.events == 0);
    let mut lost: Vec<String> = sessions.map(session).collect();
    lost.extend(recovery.unaccounted.iter().map(positions));
    // One of a finished goal may have been purged, which leaves no mark.
    lost.extend(recovery.missing_blobs.iter().filter(|blob| !blob.may_be_purged).map(text_lost));
    lost
}

fn session(session: &RecoveredSession) -> String {
    let named = session.name.as_ref().zip(session.workspace.as_ref());
    let called = named.map_or_else(String::new, |(name, workspace)| format!(" ({name} of {workspace})"));
    let missing = session.missing.map_or_else(
        || "everything".to_owned(),
        |missing| format!("events {} to {} at least", missing.first, missing.last),
    );
    let why = session.ends.as_ref().map_or_else(String::new, |why| format!(": {why}"));
    format!("session {}{called}: {missing}; {} events are there{why}", session.session, session.events)
}

fn positions(range: &PositionRange) -> String {
    if range.first == range.last {
        format!("what stood at position {}, if anything did", range.first)
    } else {
        format!("what stood at positions {} to {}, if anything did", range.first, range.last)
    }
}

fn text_lost(blob: &MissingBlob) -> String {
    let how = if blob.damaged { "has other bytes" } else { "was not found" };
    format!("text {} of session {}, named at position {}: it {how}", blob.hash, blob.session, blob.position)
}
