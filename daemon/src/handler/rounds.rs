//! `rounds`: the course of the current goal, read off its events.

use super::change::existing;
use super::log::page;
use crate::server::Client;
use goald_schema::actor::Actor;
use goald_schema::event::{Event, EventRecord, GoalChange, RoundEnd, Turn};
use goald_schema::id::AttemptId;
use goald_schema::number::Position;
use goald_schema::protocol::rounds::{RoundAttempt, RoundView, RoundsParams, RoundsReply};
use goald_schema::{ErrorCode, WireError};

/// At most this many rounds a page.
const PAGE: usize = 32;

/// Reads the rounds of the current goal.
pub async fn handle(client: &Client, params: RoundsParams) -> Result<RoundsReply, WireError> {
    let session = existing(client, &params.target).await?;
    let goal = session.view().borrow().status.goal.as_ref().map(|goal| goal.id).ok_or_else(|| {
        WireError::new(ErrorCode::NoGoal, "this session has no goal").hint("goal create OBJECTIVE sets one")
    })?;
    let mut course = Course::default();
    let mut after = Position(0);
    loop {
        let events = page(client, after, Some(session.id)).await?;
        let Some(last) = events.last().map(|event| event.position) else { break };
        after = last;
        for record in events {
            course.see(record);
        }
    }
    let mut rounds: Vec<RoundView> = course.rounds.into_iter().filter(|view| view.round > params.after).collect();
    let more = rounds.len() > PAGE;
    rounds.truncate(PAGE);
    let next = if more { rounds.last().map(|view| view.round) } else { None };
    Ok(RoundsReply { goal, rounds, next })
}

#[derive(Default)]
struct Course {
    rounds: Vec<RoundView>,
}

impl Course {
    fn see(&mut self, record: EventRecord) {
        match record.event {
            Event::GoalChange(GoalChange::Create(_)) => self.rounds.clear(),
            Event::RoundAdmitted(admitted) => self.rounds.push(RoundView {
                round: admitted.round,
                admitted_at: record.at,
                ended: None,
                attempts: Vec::new(),
                claim: None,
                refused: Vec::new(),
                refusals: 0,
                verdict: None,
            }),
            Event::AttemptStarted(started) => {
                let Turn::Round { round } = started.turn else { return };
                if let Some(view) = self.rounds.iter_mut().find(|view| view.round == round) {
                    view.attempts.push(RoundAttempt {
                        attempt: started.attempt,
                        number: started.number,
                        started_at: record.at,
                        outcome: None,
                        worked_ms: None,
                        usage: None,
                    });
                }
            }
            Event::AttemptEnded(ended) => {
                if let Some(attempt) = self.attempt(ended.attempt) {
                    attempt.outcome = Some(ended.outcome);
                    attempt.worked_ms = Some(ended.worked_ms);
                    attempt.usage = ended.usage;
                }
            }
            Event::RoundEnded(ended) => {
                if let Some(view) = self.rounds.iter_mut().find(|view| view.round == ended.round) {
                    view.ended = Some(ended.how);
                }
            }
            Event::ClaimMade(made) => {
                if let Some(view) = self.of(made.attempt) {
                    view.claim = Some(made.claim);
                }
            }
            Event::ClaimRefused(refused) => {
                if let Some(view) = self.of(refused.attempt) {
                    view.refused.push(refused.why);
                }
            }
            Event::AuthorityRefused(_) => {
                // An agent that has ended may try too; outside a round it is nobody's but the goal's.
                let view = match &record.actor {
                    Actor::Agent { attempt } => self.of(*attempt),
                    _ => self.rounds.last_mut().filter(|view| view.ended.is_none()),
                };
                if let Some(view) = view {
                    view.refusals = view.refusals.saturating_add(1);
                }
            }
            Event::VerdictRecorded(verdict) => {
                if let Some(view) = verdict.attempt.and_then(|attempt| self.of(attempt)) {
                    view.verdict = Some(verdict);
                }
            }
            // A human's word or a failure may end the goal while its round is open: it is not continued.
            Event::GoalChange(GoalChange::Complete(_)) => {
                if let Some(view) = self.rounds.last_mut() {
                    view.ended = view.ended.or(Some(RoundEnd::Abandoned));
                }
            }
            _ => {}
        }
    }

    fn of(&mut self, attempt: AttemptId) -> Option<&mut RoundView> {
        self.rounds.iter_mut().rev().find(|view| view.attempts.iter().any(|tried| tried.attempt == attempt))
    }

    fn attempt(&mut self, attempt: AttemptId) -> Option<&mut RoundAttempt> {
        self.of(attempt)?.attempts.iter_mut().find(|tried| tried.attempt == attempt)
    }
}
