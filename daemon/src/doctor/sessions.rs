//! Every session: its chain verified and its history replayed by the rules, as if it were loaded.

use super::evidence::Named;
use super::log::RECOVER;
use super::masked;
use crate::session::Loaded;
use crate::store::{Inspection, Listed, StoreError};
use goald_schema::doctor::{Area, Finding, FindingCode};
use goald_schema::id::SessionId;
use std::collections::{HashMap, HashSet};

/// Replays every session. What their events name is handed back, also of those that end in damage.
pub fn look(inspection: &Inspection) -> (Vec<Named>, Vec<Finding>) {
    let unreadable = |error: &StoreError| {
        let said = format!("the list of sessions cannot be read: {}", masked(&error.to_string()));
        Finding::problem(Area::Sessions, FindingCode::LogPages, said).hint(RECOVER)
    };
    let sessions = match inspection.sessions() {
        Ok(sessions) => sessions,
        Err(error) => return (Vec::new(), vec![unreadable(&error)]),
    };
    let places = places(inspection);
    // Where it cannot be read the pages are damaged, which is told.
    let open: HashSet<SessionId> = inspection.open_attempts().unwrap_or_default().into_iter().collect();
    let mut all = Vec::new();
    let mut findings = Vec::new();
    let mut sound = 0_u64;
    let mut events = 0_u64;
    for session in &sessions {
        let mut named = Named::of(*session);
        let mut loaded = Loaded::default();
        let replayed = inspection.replay(*session, &mut |record| {
            events += 1;
            named.note(&record);
            loaded.follow(record)
        });
        named.settle(&loaded.state);
        all.push(named);
        match replayed.and_then(|()| same_attempt(*session, &loaded, &open)) {
            Ok(()) => sound += 1,
            Err(error) => findings.push(damaged(*session, places.get(session), &error)),
        }
    }
    if findings.is_empty() {
        let said = format!("{sound} sessions with {events} events: every chain holds, every history follows the rules");
        findings.push(Finding::ok(Area::Sessions, said));
    } else if sound > 0 {
        findings.push(Finding::ok(Area::Sessions, format!("{sound} other sessions are whole")));
    }
    (all, findings)
}

/// The head row says beside the chain whether an attempt is open: by it the next daemon knows what to close.
fn same_attempt(session: SessionId, loaded: &Loaded, open: &HashSet<SessionId>) -> Result<(), StoreError> {
    let what = match (loaded.state.attempt.is_some(), open.contains(&session)) {
        (true, false) => "an attempt is open of which its head row knows nothing",
        (false, true) => "its head row has an attempt open that is over",
        (true, true) | (false, false) => return Ok(()),
    };
    Err(StoreError::Damaged { session, position: Some(loaded.position), what: what.to_owned() })
}

/// Name and workspace of sessions, where they can be told.
fn places(inspection: &Inspection) -> HashMap<SessionId, (String, String)> {
    let listed = inspection.listed().unwrap_or_default();
    let place = |listed| match listed {
        Listed::Opened(opened) => Some((opened.workspace, opened.name)),
        Listed::Damaged { place, .. } => place,
    };
    listed.into_iter().filter_map(|(session, listed)| Some((session, place(listed)?))).collect()
}

fn damaged(session: SessionId, place: Option<&(String, String)>, error: &StoreError) -> Finding {
    let called = place.map_or_else(String::new, |(workspace, name)| format!(" ({name} of {workspace})"));
    let (position, what) = match error {
        StoreError::Damaged { position, what, .. } => (*position, what.clone()),
        other => (None, other.to_string()),
    };
    let at = position.map_or_else(String::new, |position| format!(" at position {position}"));
    let said = format!("session {session}{called} is damaged{at}: {}", masked(&what));
    Finding::problem(Area::Sessions, FindingCode::SessionDamaged, said).at(Some(session), position).hint(RECOVER)
}
