//! What is missing, in the words of the report.

use super::harvest::{Candidate, Seen};
use goald_schema::event::{Event, EventRecord, GoalChange};
use goald_schema::id::{BlobHash, SessionId};
use goald_schema::number::{Position, Seq};
use goald_schema::recovery::{MissingBlob, PositionRange, RecoveredSession, SeqRange, Unproven};
use std::collections::{BTreeMap, BTreeSet};

/// What is said of a session of which so many events are proven.
pub(super) fn session(id: SessionId, seen: &Seen, proven: usize, why: String) -> RecoveredSession {
    let events = u64::try_from(proven).unwrap_or(u64::MAX);
    let unproven = unproven(seen, events);
    let head = seen.head.and_then(|head| u64::try_from(head).ok()).map(Seq);
    let last = unproven.iter().map(|part| part.seqs.last).chain(head).max().filter(|last| last.get() > events);
    RecoveredSession {
        session: id,
        workspace: None,
        name: None,
        events,
        last_position: None,
        last_at: None,
        head,
        missing: last.map(|last| SeqRange { first: Seq(events.saturating_add(1)), last }),
        unproven,
        ends: match (last, head) {
            (Some(_), _) => Some(why),
            (None, None) => Some("its head row is gone: whether it had more events is unknown".to_owned()),
            (None, Some(_)) => None,
        },
    }
}

/// Adds what an event of it says.
pub(super) fn note(session: &mut RecoveredSession, event: &EventRecord) {
    session.last_position = Some(event.position);
    session.last_at = Some(event.at);
    if let Event::SessionOpened(opened) = &event.event {
        session.workspace = Some(opened.workspace.clone());
        session.name = Some(opened.name.clone());
    }
}

fn unproven(seen: &Seen, proven: u64) -> Vec<Unproven> {
    let mut parts: Vec<Unproven> = Vec::new();
    for (seq, candidates) in &seen.events {
        let Some(seq) = u64::try_from(*seq).ok().filter(|seq| *seq > proven).map(Seq) else { continue };
        let positions = || candidates.iter().map(|candidate: &Candidate| Position(candidate.position));
        let (Some(first), Some(last)) = (positions().min(), positions().max()) else { continue };
        match parts.last_mut() {
            Some(part) if part.seqs.last.next() == seq => {
                part.count += 1;
                part.seqs.last = seq;
                part.positions.first = part.positions.first.min(first);
                part.positions.last = part.positions.last.max(last);
            }
            _ => parts.push(Unproven {
                count: 1,
                seqs: SeqRange { first: seq, last: seq },
                positions: PositionRange { first, last },
            }),
        }
    }
    parts
}

/// The places up to `known` that are not taken.
pub(super) fn gaps(taken: &BTreeSet<u64>, known: u64) -> Vec<PositionRange> {
    let mut gaps = Vec::new();
    let mut next = 1;
    for position in taken.iter().copied().chain([known.saturating_add(1)]) {
        if position > next {
            gaps.push(PositionRange { first: Position(next), last: Position(position - 1) });
        }
        next = next.max(position.saturating_add(1));
    }
    gaps
}

/// Which texts the recovered events name.
#[derive(Default)]
pub(super) struct Named {
    pub blobs: BTreeMap<BlobHash, MissingBlob>,
    /// Those of the present goal, and of those that are over.
    present: BTreeSet<BlobHash>,
}

impl Named {
    /// Takes the next event of a session.
    pub fn note(&mut self, event: &EventRecord) {
        for hash in event.event.blobs() {
            self.present.insert(hash.clone());
            self.blobs.entry(hash.clone()).or_insert_with(|| MissingBlob {
                hash: hash.clone(),
                position: event.position,
                session: event.session,
                damaged: false,
                may_be_purged: false,
            });
        }
        if let Event::GoalChange(GoalChange::Complete(_) | GoalChange::Clear(_)) = &event.event {
            for hash in std::mem::take(&mut self.present) {
                if let Some(blob) = self.blobs.get_mut(&hash) {
                    blob.may_be_purged = true;
                }
            }
        }
    }

    /// The session is over.
    pub fn end(&mut self) {
        self.present.clear();
    }
}
