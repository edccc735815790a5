//! `edit`: a patch. The phase and its reason stay as they are.

use super::change::{current, fact, snapshot, wrong_phase};
use super::create::{check_criteria, not_positive};
use super::{Decided, Decision, Fact};
use crate::command::{Context, Patch};
use crate::live::{CheckRun, Live};
use crate::state::{State, TurnKind};
use goald_schema::actor::Actor;
use goald_schema::event::{Event, GoalChange, Occasion, Verdict, VerdictResult};
use goald_schema::goal::GoalRef;

pub(super) fn decide(
    state: &State,
    live: &Live,
    reference: GoalRef,
    patch: &Patch,
    actor: &Actor,
    context: &Context<'_>,
) -> Decided {
    let current = current(state, reference)?;
    if current.is_complete() {
        return Err(wrong_phase(current, "edited"));
    }
    let mut goal = current.goal.clone();
    if let Some(draft) = &patch.objective {
        goal.objective = draft.admit()?;
    }
    if let Some(rounds) = patch.max_rounds {
        if rounds == 0 {
            return Err(not_positive());
        }
        goal.max_goal_rounds = rounds;
    }
    if let Some(criteria) = &patch.criteria {
        check_criteria(criteria)?;
        goal.criteria.clone_from(criteria);
    }
    if goal == current.goal {
        return Ok(Decision::unchanged());
    }
    let content_changed = goal.objective != current.goal.objective || goal.criteria != current.goal.criteria;
    goal.revision = goal.revision.next();
    if content_changed {
        goal.content_revision = goal.revision;
    }
    let mut facts = Vec::new();
    if content_changed && live.check == CheckRun::Running {
        facts.extend(discarded(state));
    }
    facts.push(fact(actor, GoalChange::Edit(snapshot(current, goal, context))));
    Ok(Decision::accept(facts))
}

/// The running verification is about content that is no longer the goal's.
fn discarded(state: &State) -> Option<Fact> {
    let (current, turn) = (state.current.as_ref()?, state.unverified.as_ref()?);
    let verdict = Verdict {
        occasion: occasion(turn.occasion),
        reference: current.goal.reference(),
        content_revision: turn.content_revision,
        attempt: Some(turn.attempt),
        claim: turn.claim.clone(),
        result: VerdictResult::Discarded,
        results: Vec::new(),
        fingerprint: None,
        judge: None,
        judge_usage: None,
        worked_ms: 0,
    };
    Some(Fact { actor: Actor::Verifier, event: Event::VerdictRecorded(verdict) })
}

/// Why a turn is checked.
pub(super) const fn occasion(kind: TurnKind) -> Occasion {
    match kind {
        TurnKind::Round => Occasion::Round,
        TurnKind::Messages => Occasion::Message,
    }
}
