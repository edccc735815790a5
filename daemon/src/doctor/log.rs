//! The database as a whole: that it can be opened, is whole, and ends where it should.

use super::masked;
use crate::home::Home;
use crate::store::{Gap, Inspection, StoreError, TOLD};
use goald_schema::doctor::{Area, Finding, FindingCode};
use goald_schema::number::Position;

/// What to do about damage.
pub const RECOVER: &str =
    "goal doctor --recover FILE writes what can be read into a new log; docs/recovery.md goes step by step";

/// Opens it, where there is one.
pub fn open(home: &Home, open: impl FnOnce() -> Result<Inspection, StoreError>) -> (Vec<Finding>, Option<Inspection>) {
    let only = |finding| (vec![finding], None);
    let database = home.database();
    if std::fs::symlink_metadata(&database).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return only(absent(home));
    }
    match open() {
        Ok(inspection) => (Vec::new(), Some(inspection)),
        Err(error @ StoreError::Newer { .. }) => only(
            Finding::problem(Area::Log, FindingCode::LogNewer, format!("{error}; nothing more was looked at"))
                .hint("use the newer goal"),
        ),
        Err(error @ StoreError::Corrupt { .. }) => {
            only(Finding::problem(Area::Log, FindingCode::LogUnusable, masked(&error.to_string())).hint(RECOVER))
        }
        Err(StoreError::DiskFull) => {
            let said = format!("there is no room in {} for a copy of the log to look at", home.temporary.display());
            only(Finding::problem(Area::Log, FindingCode::LogUnusable, said).hint("set TMPDIR to a folder with room"))
        }
        Err(error) => only(
            Finding::problem(Area::Log, FindingCode::LogUnusable, error.to_string())
                .hint("look as the user that the daemon runs as; where a copy is needed it goes to TMPDIR"),
        ),
    }
}

/// Nothing was ever kept, or something is gone.
fn absent(home: &Home) -> Finding {
    let traces: Vec<String> = ["goald.db-wal", "goald.end"]
        .iter()
        .map(|name| home.state.join(name))
        .filter(|path| path.exists())
        .map(|path| path.display().to_string())
        .collect();
    if traces.is_empty() {
        return Finding::ok(Area::Log, "there is no log yet");
    }
    let said = format!("{} is gone, but {} is there", home.database().display(), traces.join(" and "));
    Finding::problem(Area::Log, FindingCode::LogMissing, said).hint(
        "put goald.db back from a copy, or take what is left of it away: a daemon would begin a new log beside it",
    )
}

/// Looks at the open database.
pub fn look(inspection: &Inspection) -> Vec<Finding> {
    let outcomes = [format(inspection), pages(inspection), ends(inspection), gaps(inspection)].map(|outcome| {
        outcome.unwrap_or_else(|error| {
            vec![Finding::problem(Area::Log, FindingCode::LogPages, masked(&error.to_string())).hint(RECOVER)]
        })
    });
    let mut findings: Vec<Finding> = Vec::new();
    // A damaged page may hinder several checks in the same words.
    for finding in outcomes.into_iter().flatten() {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings
}

fn format(inspection: &Inspection) -> Result<Vec<Finding>, StoreError> {
    let (found, known) = inspection.format()?;
    if found < known {
        let said = format!("the log has format {found}; the next start of a daemon raises it to {known}");
        return Ok(vec![Finding::note(Area::Log, FindingCode::LogOlder, said)]);
    }
    match inspection.structure() {
        Ok(()) => Ok(vec![Finding::ok(Area::Log, format!("format {found}; tables, indexes and triggers are goald's"))]),
        Err(error @ StoreError::Corrupt { .. }) => {
            Ok(vec![Finding::problem(Area::Log, FindingCode::LogStructure, error.to_string()).hint(RECOVER)])
        }
        Err(error) => Err(error),
    }
}

fn pages(inspection: &Inspection) -> Result<Vec<Finding>, StoreError> {
    let said = inspection.pages()?;
    if said.is_empty() {
        return Ok(vec![Finding::ok(Area::Log, "every page, row and index of the database is whole")]);
    }
    let more = if said.len() >= TOLD { " (and maybe more)" } else { "" };
    let said = format!("the database is damaged{more}: {}", said.join("; "));
    Ok(vec![Finding::problem(Area::Log, FindingCode::LogPages, said).hint(RECOVER)])
}

fn ends(inspection: &Inspection) -> Result<Vec<Finding>, StoreError> {
    let (newest, acknowledged) = inspection.ends()?;
    let counted = inspection.counted()?;
    let known = acknowledged.unwrap_or(Position(0)).max(counted);
    if known > newest && known > inspection.recovered()? {
        let said = format!("events were written up to position {known}, but the log ends at {newest}");
        let finding = Finding::problem(Area::Log, FindingCode::LogCut, said).at(None, Some(newest));
        return Ok(vec![
            finding.hint("put back a newer copy of goald.db with its -wal if there is one; docs/recovery.md"),
        ]);
    }
    let said =
        format!("{} events; the log ends at position {newest}, where it was last acknowledged", inspection.events()?);
    Ok(vec![Finding::ok(Area::Log, said)])
}

fn gaps(inspection: &Inspection) -> Result<Vec<Finding>, StoreError> {
    let recovered = inspection.recovered()?;
    let (old, new): (Vec<Gap>, Vec<Gap>) = inspection.gaps()?.into_iter().partition(|gap| gap.last <= recovered);
    let told = |gap: &Gap| {
        let said = if gap.first == gap.last {
            format!("the event at position {} is missing", gap.first)
        } else {
            format!("the events at positions {} to {} are missing", gap.first, gap.last)
        };
        Finding::problem(Area::Log, FindingCode::LogGap, said).at(None, Some(gap.first)).hint(RECOVER)
    };
    let mut findings: Vec<Finding> = new.iter().map(told).collect();
    if findings.is_empty() && old.is_empty() {
        findings.push(Finding::ok(Area::Log, "no position is missing"));
    }
    if recovered > Position(0) {
        let said = format!("this log was recovered; what is missing up to position {recovered} was told then");
        findings.push(Finding::note(Area::Log, FindingCode::LogRecovered, said));
    }
    Ok(findings)
}
