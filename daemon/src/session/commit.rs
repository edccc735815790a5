//! From a command to durable facts: decide, try the fold, append, fold.

use super::task::Task;
use crate::crash::{self, Place};
use crate::fresh;
use crate::store::{Append, Blob, StoreError};
use goald_core::decide::Reply;
use goald_core::live::Signal;
use goald_core::{Command, Context, Now, decide, evolve};
use goald_schema::actor::{Actor, Via};
use goald_schema::event::{CancelCause, EventData};
use goald_schema::id::EventId;
use goald_schema::{ErrorCode, WireError};

/// What was committed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Committed {
    pub reply: Reply,
    pub changed: bool,
}

/// Who asks, by which door, with which id for the first event.
#[derive(Debug)]
pub(super) struct Origin<'a> {
    pub actor: &'a Actor,
    pub via: Via,
    pub first: Option<EventId>,
}

impl Origin<'_> {
    /// The daemon's own driver.
    pub(super) const DRIVER: Origin<'static> = Origin { actor: &Actor::Driver, via: Via::Daemon, first: None };
}

impl Task {
    /// Decides a command and makes its facts durable. The state has changed when this answers, or nothing has.
    pub(super) async fn commit(
        &mut self,
        command: Command,
        origin: Origin<'_>,
        blobs: Vec<Blob>,
    ) -> Result<Committed, WireError> {
        let now = self.shared.clock.now();
        let context = Context {
            now,
            dice: fresh::dice(),
            policy: &self.thresholds.policy,
            default_max_rounds: self.thresholds.default_max_rounds,
        };
        let decision = decide(&self.state, &self.live, command, origin.actor, &context);
        if decision.facts.is_empty() {
            if decision.answer.is_err() && matches!(origin.actor, Actor::Agent { .. }) {
                self.live.signal(Signal::Suppressed);
            }
            return decision.answer.map(|reply| Committed { reply, changed: false });
        }
        // The fold is tried before anything is written: an event that could not be replayed is never stored.
        let mut state = self.state.clone();
        for fact in &decision.facts {
            evolve(&mut state, fact, now.wall).map_err(|illegal| {
                tracing::error!(session = %self.id, %illegal, "a decision broke its own rules; nothing was written");
                WireError::new(ErrorCode::Internal, format!("goald refused its own decision: {illegal}"))
                    .hint("nothing was changed; please report this")
            })?;
        }
        let events = events(&decision.facts, now, &origin);
        self.append(events, blobs).await?;
        crash::at(Place::AppendedNotFolded);
        for fact in &decision.facts {
            // The same fold, fact by fact, so that the live fold sees the state right after each.
            if let Err(illegal) = evolve(&mut self.state, fact, now.wall) {
                tracing::error!(session = %self.id, %illegal, "the fold differed from its own trial");
            }
            self.live.observe(&self.state, fact, now);
        }
        self.enforce_stop().await;
        decision.answer.map(|reply| Committed { reply, changed: true })
    }

    async fn append(&mut self, events: Vec<EventData>, mut blobs: Vec<Blob>) -> Result<(), WireError> {
        // What no event names could never be found again, nor purged: the text of a wish that was refused.
        blobs.retain(|blob| events.iter().any(|data| data.event.blobs().contains(&&blob.hash)));
        let append = Append { session: self.id, expected: self.state.seq, events, blobs };
        match self.shared.store.append(append).await {
            Ok(records) => {
                if let Some(last) = records.last() {
                    self.position = last.position;
                }
                Ok(())
            }
            Err(error) => {
                tracing::error!(session = %self.id, %error, "the log could not be written");
                if error == StoreError::SyncFailed {
                    // Never retried as if nothing had happened: the next start reads what is there.
                    self.shared.stop.cancel();
                }
                self.stop_without_log().await;
                Err(error.into())
            }
        }
    }

    /// What cannot be recorded must not happen: nothing starts, and what runs is stopped. Not even a conflict is harmless:
    /// this task alone writes to its session, so somebody changed the log.
    pub(super) async fn stop_without_log(&mut self) {
        self.live.signal(Signal::Disarm(CancelCause::StoreFailed));
        self.enforce_stop().await;
    }
}

fn events(facts: &[goald_core::decide::Fact], now: Now, origin: &Origin<'_>) -> Vec<EventData> {
    let mut first = origin.first;
    facts
        .iter()
        .map(|fact| EventData {
            id: first.take().unwrap_or_else(|| EventId::from_uuid(fresh::uuid())),
            at: now.wall,
            actor: fact.actor.clone(),
            via: origin.via,
            event: fact.event.clone(),
        })
        .collect()
}
