//! What lies beside the events: stored texts and output files. What an unfinished goal, a waiting message or a running
//! attempt needs must be there; what finished goals left may have been purged.

use super::log::RECOVER;
use super::masked;
use crate::home::Home;
use crate::store::{Beside, Blob, Blobs, Inspection};
use goald_core::State;
use goald_schema::doctor::{Area, Finding, FindingCode};
use goald_schema::event::{Event, EventRecord};
use goald_schema::id::{AttemptId, BlobHash, GoalId, MessageId, SessionId};
use goald_schema::number::Position;
use std::collections::{HashMap, HashSet};

/// A note of what was discarded may stand behind what an output file may hold, in bytes.
const NOTE: u64 = 200;

/// Who needs a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Goal(GoalId),
    Message(MessageId),
    Attempt(AttemptId),
    Nobody,
}

/// What the events of a session name.
pub struct Named {
    session: SessionId,
    texts: Vec<(BlobHash, Position, Owner)>,
    attempts: HashMap<AttemptId, Option<GoalId>>,
    current: Option<GoalId>,
    needed: HashSet<usize>,
    running: Option<AttemptId>,
}

impl Named {
    /// Nothing yet.
    pub fn of(session: SessionId) -> Self {
        Self {
            session,
            texts: Vec::new(),
            attempts: HashMap::new(),
            current: None,
            needed: HashSet::new(),
            running: None,
        }
    }

    /// Takes one event.
    pub fn note(&mut self, record: &EventRecord) {
        let goal = |id: Option<GoalId>| id.map_or(Owner::Nobody, Owner::Goal);
        let owner = match &record.event {
            Event::GoalChange(change) => {
                self.current = change.snapshot().map(|set| set.goal.id);
                goal(self.current)
            }
            Event::AttemptStarted(started) => {
                let given = started.given.map(|given| given.reference.id);
                self.attempts.insert(started.attempt, given);
                given.map_or(Owner::Attempt(started.attempt), Owner::Goal)
            }
            Event::AttemptEnded(ended) => goal(self.attempts.get(&ended.attempt).copied().flatten()),
            Event::VerdictRecorded(verdict) => Owner::Goal(verdict.reference.id),
            Event::MessageQueued(queued) => Owner::Message(queued.message),
            _ => Owner::Nobody,
        };
        let texts = record.event.blobs().into_iter().map(|hash| (hash.clone(), record.position, owner));
        self.texts.extend(texts);
    }

    /// Tells what is still needed, once all events are noted.
    pub fn settle(&mut self, state: &State) {
        let living = state.current.as_ref().filter(|current| !current.is_complete()).map(|current| current.goal.id);
        let waiting: HashSet<MessageId> = state.queue.iter().map(|queued| queued.id).collect();
        self.running = state.attempt.as_deref().map(goald_core::state::OpenAttempt::id);
        let needed = |owner: Owner| match owner {
            Owner::Goal(goal) => Some(goal) == living,
            Owner::Message(message) => waiting.contains(&message),
            Owner::Attempt(attempt) => Some(attempt) == self.running,
            Owner::Nobody => false,
        };
        self.needed = (0..self.texts.len()).filter(|index| needed(self.texts[*index].2)).collect();
    }
}

/// Compares what is named with what is there.
pub fn look(
    home: &Home,
    inspection: &Inspection,
    named: &[Named],
    output_cap: Option<u64>,
    beside: Beside,
) -> Vec<Finding> {
    let mut findings = match inspection.blobs() {
        Ok(blobs) => texts(named, &blobs),
        Err(error) => {
            let said = format!("the stored texts cannot be read: {}", masked(&error.to_string()));
            vec![Finding::problem(Area::Evidence, FindingCode::LogPages, said).hint(RECOVER)]
        }
    };
    findings.extend(objectives(home));
    findings.extend(outputs(home, named, output_cap, beside));
    findings
}

/// Long objectives are laid down for agents under the names of their texts: one that says something else would be followed.
fn objectives(home: &Home) -> Vec<Finding> {
    let mut findings = Vec::new();
    for entry in std::fs::read_dir(home.objectives()).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".md"));
        let Some(name) = name else { continue };
        if std::fs::read(&path).is_ok_and(|bytes| Blob::new(bytes).hash.as_str() != name) {
            let said = format!("{} is not the objective that it is named after", path.display());
            let finding = Finding::problem(Area::Evidence, FindingCode::TextDamaged, said);
            findings.push(finding.hint("remove it: the daemon lays it down anew for the next attempt"));
        }
    }
    findings
}

fn texts(named: &[Named], blobs: &Blobs) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut gone = HashSet::new();
    for session in named {
        for (index, (hash, position, _)) in session.texts.iter().enumerate() {
            if blobs.sound.contains(hash) || blobs.damaged.contains(hash) {
                continue;
            }
            if session.needed.contains(&index) {
                let said = format!("the text {hash}, which position {position} names, is missing");
                let finding = Finding::problem(Area::Evidence, FindingCode::TextMissing, said);
                findings.push(
                    finding
                        .at(Some(session.session), Some(*position))
                        .hint("the goal goes on without it; goal say tells the agent what it should know"),
                );
            } else {
                gone.insert(hash);
            }
        }
    }
    for hash in &blobs.damaged {
        let said = format!("the text {hash} is not what was written: its bytes have another hash");
        findings.push(Finding::problem(Area::Evidence, FindingCode::TextDamaged, said).hint(RECOVER));
    }
    if blobs.nameless > 0 {
        let said = format!("{} stored texts have no name", blobs.nameless);
        findings.push(Finding::problem(Area::Evidence, FindingCode::TextDamaged, said).hint(RECOVER));
    }
    if findings.is_empty() {
        let said = format!("{} stored texts are what was written", blobs.sound.len());
        findings.push(Finding::ok(Area::Evidence, said));
    }
    if !gone.is_empty() {
        let said = format!("{} texts of what is finished are gone: purged, or lost", gone.len());
        findings.push(Finding::note(Area::Evidence, FindingCode::TextsGone, said));
    }
    findings
}

fn outputs(home: &Home, named: &[Named], output_cap: Option<u64>, beside: Beside) -> Vec<Finding> {
    let mut missing: HashSet<String> = HashSet::new();
    for session in named {
        // What runs may not have printed yet.
        let over = session.attempts.keys().filter(|attempt| session.running != Some(**attempt));
        missing.extend(over.map(|attempt| format!("{attempt}.out")));
    }
    let known: HashSet<String> =
        named.iter().flat_map(|session| session.attempts.keys().map(|attempt| format!("{attempt}.out"))).collect();
    let (mut present, mut unknown, mut large) = (0_u64, 0_u64, 0_u64);
    let most = output_cap.map(|cap| cap.saturating_add(NOTE));
    for entry in std::fs::read_dir(home.output()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        missing.remove(&name);
        // One that a running daemon has just begun is younger than what was read of the log.
        if known.contains(&name) {
            present += 1;
        } else if beside == Beside::Nobody {
            unknown += 1;
        }
        if most.is_some_and(|most| entry.metadata().is_ok_and(|found| found.len() > most)) {
            large += 1;
        }
    }
    let mut findings = vec![Finding::ok(Area::Evidence, format!("{present} output files of attempts"))];
    let notes = [
        (missing.len(), FindingCode::OutputGone, "attempts have no output file: removed, or lost"),
        (count(unknown), FindingCode::OutputUnknown, "files in output/ are of no attempt in the log"),
        (count(large), FindingCode::OutputTooLarge, "output files are larger than outputCap allows now"),
    ];
    for (number, code, said) in notes {
        if number > 0 {
            findings.push(Finding::note(Area::Evidence, code, format!("{number} {said}")));
        }
    }
    findings
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
