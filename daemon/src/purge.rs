//! What is kept of finished goals, and how it goes: prompts, messages, final texts, tails of checks, long objectives and
//! output files. What an unfinished goal, a waiting message or a running attempt needs stays. Events are never touched, so
//! every chain verifies as before.
//!
//! Whether somebody may is not asked here.

use crate::session::fold;
use crate::shared::Shared;
use crate::store::{Purge, StoreError};
use goald_core::state::OpenAttempt;
use goald_schema::event::{Event, EventRecord};
use goald_schema::id::{AttemptId, BlobHash, GoalId, MessageId, SessionId};
use goald_schema::number::Seq;
use goald_schema::protocol::purge::PurgeReply;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Whether it is done, or only said what would be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// It is done.
    Delete,
    /// Nothing is touched.
    DryRun,
}

/// Whose something is. Nobody's: of a message turn that had no goal.
type Owner = Option<GoalId>;

/// What is kept of a session.
#[derive(Debug, Default)]
struct Texts {
    /// What is no longer needed.
    free: HashMap<BlobHash, HashSet<Owner>>,
    outputs: Vec<(Owner, AttemptId)>,
    /// What is.
    needed: HashSet<BlobHash>,
    /// The session's last event.
    seq: Seq,
}

/// Frees what finished goals of these sessions have left. Blocking.
///
/// # Errors
/// Those of the log; nothing was deleted then. A session that cannot be read, or a file that cannot be deleted, is told
/// among the warnings.
pub fn purge(shared: &Shared, sessions: &[SessionId], mode: Mode) -> Result<PurgeReply, StoreError> {
    let mut reply = PurgeReply { dry_run: mode == Mode::DryRun, ..PurgeReply::default() };
    let mut all = Texts::default();
    let mut request = Purge::default();
    for id in sessions {
        match shared.store.read(*id, Seq(0)).and_then(texts) {
            Ok(texts) => {
                reply.sessions += 1;
                request.looked.insert(*id, texts.seq);
                all.needed.extend(texts.needed);
                all.outputs.extend(texts.outputs);
                for (hash, owners) in texts.free {
                    all.free.entry(hash).or_default().extend(owners);
                }
            }
            Err(error) => reply.warnings.push(format!("nothing of session {id} is freed: {error}")),
        }
    }
    all.free.retain(|hash, _| !all.needed.contains(hash));
    request.blobs = all.free.keys().cloned().collect();
    let purged = match mode {
        Mode::Delete => shared.store.purge(request)?,
        Mode::DryRun => shared.store.purgeable(&request)?,
    };
    let mut freed = Freed { reply, owners: HashSet::new() };
    if let Some(residue) = &purged.residue {
        freed.reply.warnings.push(format!("copies of deleted texts may still be in the database: {residue}"));
    }
    for (hash, bytes) in &purged.blobs {
        freed.reply.blobs += 1;
        freed.count(*bytes, all.free.get(hash).into_iter().flatten());
    }
    for (owner, attempt) in &all.outputs {
        freed.file(&shared.output_file(*attempt), mode, [owner]);
    }
    for (hash, owners) in &all.free {
        // One whose text is still named by somebody stays with it.
        if purged.blobs.contains_key(hash) || shared.store.blob(hash).is_ok_and(|text| text.is_none()) {
            freed.file(&shared.objective_file(hash), mode, owners);
        }
    }
    freed.reply.goals = count(freed.owners.len());
    Ok(freed.reply)
}

struct Freed {
    reply: PurgeReply,
    owners: HashSet<GoalId>,
}

impl Freed {
    fn count<'a>(&mut self, bytes: u64, owners: impl IntoIterator<Item = &'a Owner>) {
        self.reply.bytes = self.reply.bytes.saturating_add(bytes);
        self.owners.extend(owners.into_iter().flatten());
    }

    fn file<'a>(&mut self, path: &Path, mode: Mode, owners: impl IntoIterator<Item = &'a Owner>) {
        // One that is not there was never written, or is purged already.
        let Ok(metadata) = std::fs::symlink_metadata(path) else { return };
        let removed = match mode {
            Mode::Delete => std::fs::remove_file(path),
            Mode::DryRun => Ok(()),
        };
        match removed {
            Ok(()) => {
                self.reply.files += 1;
                self.count(metadata.len(), owners);
            }
            Err(error) => self.reply.warnings.push(format!("{} stays: {error}", path.display())),
        }
    }
}

/// What is kept of a session, told apart by whether it is still needed.
fn texts(records: Vec<EventRecord>) -> Result<Texts, StoreError> {
    let state = fold(&records)?.state;
    let living = state.current.as_ref().filter(|current| !current.is_complete()).map(|current| current.goal.id);
    let running = state.attempt.as_deref().map(OpenAttempt::id);
    let waiting: HashSet<MessageId> = state.queue.iter().map(|queued| queued.id).collect();
    let mut texts = Texts { seq: state.seq, ..Texts::default() };
    let mut given: HashMap<AttemptId, Owner> = HashMap::new();
    let mut current: Owner = None;
    for record in records {
        let (owner, in_use) = match &record.event {
            Event::GoalChange(change) => {
                current = change.snapshot().map(|set| set.goal.id);
                (current, false)
            }
            Event::AttemptStarted(started) => {
                let owner = started.given.map(|given| given.reference.id);
                given.insert(started.attempt, owner);
                let runs = running == Some(started.attempt);
                if !runs && (owner.is_none() || owner != living) {
                    texts.outputs.push((owner, started.attempt));
                }
                (owner, runs)
            }
            Event::AttemptEnded(ended) => (given.get(&ended.attempt).copied().flatten(), false),
            Event::VerdictRecorded(verdict) => (Some(verdict.reference.id), false),
            Event::MessageQueued(queued) => (current, waiting.contains(&queued.message)),
            _ => continue,
        };
        let needed = in_use || (owner.is_some() && owner == living);
        for hash in record.event.blobs() {
            if needed {
                texts.needed.insert(hash.clone());
            } else {
                texts.free.entry(hash.clone()).or_default().insert(owner);
            }
        }
    }
    Ok(texts)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
