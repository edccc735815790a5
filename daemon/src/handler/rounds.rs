//! `rounds`: the course of the current goal, read off its events.

use super::change::existing;
use super::log::page;
use crate::server::Client;
use crate::store::StoreError;
use goald_schema::criterion::CriterionResult;
use goald_schema::event::{Event, EventRecord, GoalChange, RoundEnd, Turn, Verdict};
use goald_schema::id::AttemptId;
use goald_schema::number::Position;
use goald_schema::protocol::rounds::{CheckOutput, RoundAttempt, RoundView, RoundsParams, RoundsReply};
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;

/// At most this many rounds a page.
const PAGE: usize = 32;

/// What the checks of a round printed is told up to this many bytes: escaped in JSON they may grow sixfold, and a line of
/// the socket holds 1 MiB.
const OUTPUTS: usize = 128 * 1024;

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
    let wanted = |view: &RoundView| match params.only {
        Some(only) => view.round == only,
        None => view.round > params.after,
    };
    let mut rounds: Vec<RoundView> = course.rounds.into_iter().filter(wanted).collect();
    let more = rounds.len() > PAGE;
    rounds.truncate(PAGE);
    let next = if more { rounds.last().map(|view| view.round) } else { None };
    if let (Some(_), Some(view)) = (params.only, rounds.first_mut()) {
        view.outputs = outputs(client, view.verdict.as_ref()).await?;
    }
    Ok(RoundsReply { goal, rounds, next })
}

/// What the checks printed. Where it is too much for one answer, what is missing from the goal goes before what is not.
async fn outputs(client: &Client, verdict: Option<&Verdict>) -> Result<Vec<CheckOutput>, WireError> {
    let printed = |result: &CriterionResult| {
        let hash = result.output_tail.clone()?;
        Some((result.met, hash, CheckOutput { criterion: result.criterion.clone(), text: None }))
    };
    let mut found: Vec<_> = verdict.iter().flat_map(|verdict| &verdict.results).filter_map(printed).collect();
    let store = Arc::clone(&client.service.shared.store);
    let reading = tokio::task::spawn_blocking(move || {
        let mut left = OUTPUTS;
        for of_met in [false, true] {
            for (_, hash, output) in found.iter_mut().filter(|(met, ..)| *met == of_met) {
                let Some(bytes) = store.blob(hash)? else { continue };
                if let Some(rest) = left.checked_sub(bytes.len()) {
                    left = rest;
                    output.text = Some(String::from_utf8_lossy(&bytes).into_owned());
                }
            }
        }
        Ok::<_, StoreError>(found.into_iter().map(|(.., output)| output).collect())
    });
    let read = reading.await.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?;
    Ok(read?)
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
                verdict: None,
                outputs: Vec::new(),
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
