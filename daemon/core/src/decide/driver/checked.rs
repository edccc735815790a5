//! The end of a verification: the verdict, and what follows from it.

use crate::command::{CheckReport, Context};
use crate::decide::change::{blocked, completed};
use crate::decide::edit::occasion;
use crate::decide::{Decision, Fact};
use crate::live::{CheckRun, Live};
use crate::next_check::{NextCheck, next_check};
use crate::next_step::to_verify;
use crate::state::{Current, State, Unverified};
use goald_schema::actor::Actor;
use goald_schema::criterion::{CheckTrouble, CriterionResult};
use goald_schema::event::{Claim, Event, Verdict, VerdictResult};
use goald_schema::goal::{BlockedReason, Completed};
use goald_schema::reason::Known;

/// A verdict belongs to an attempt and a content revision: a late one, or one about older content, has no effect.
pub(super) fn decide(state: &State, live: &Live, report: CheckReport, context: &Context<'_>) -> Decision {
    // A message that came while it ran does not make the result in hand worthless.
    let idle = state.attempt.is_none() && live.check != CheckRun::Ending;
    let turn = to_verify(state, live).filter(|turn| idle && turn.attempt == report.attempt);
    let (Some(current), Some(turn)) = (&state.current, turn) else {
        return Decision::ignored();
    };
    let same = turn.goal == report.goal
        && report.goal == current.goal.id
        && turn.content_revision == report.content_revision
        && report.content_revision == current.goal.content_revision;
    let NextCheck::Done(result) = next_check(&current.goal.criteria, &report.results) else {
        return Decision::ignored();
    };
    if !same {
        return Decision::ignored();
    }
    let mut facts = Vec::new();
    let trouble = report.results.iter().find_map(cannot_run);
    let only_blocked = matches!(turn.claim, Some(Claim::Blocked { .. })) && current.goal.criteria.is_empty();
    if only_blocked {
        // Nothing was checked, and being blocked is no completion: the recorded verdict says so and the claim follows.
        facts.push(verdict(current, turn, report, VerdictResult::NoVerdict));
    } else {
        facts.push(verdict(current, turn, report, result));
    }
    facts.extend(consequence(current, turn, result, trouble, context));
    Decision::accept(facts)
}

fn verdict(current: &Current, turn: &Unverified, report: CheckReport, result: VerdictResult) -> Fact {
    let verdict = Verdict {
        occasion: occasion(turn.occasion),
        reference: current.goal.reference(),
        content_revision: report.content_revision,
        attempt: Some(turn.attempt),
        claim: turn.claim.clone(),
        result,
        results: report.results,
        fingerprint: None,
        judge: None,
        judge_usage: None,
        worked_ms: report.worked_ms,
    };
    Fact { actor: Actor::Verifier, event: Event::VerdictRecorded(verdict) }
}

fn consequence(
    current: &Current,
    turn: &Unverified,
    result: VerdictResult,
    trouble: Option<String>,
    context: &Context<'_>,
) -> Option<Fact> {
    let complete = |how| completed(current, how, &Actor::Verifier, context);
    let block = |code: Known, message: String| {
        let reason = BlockedReason { code: code.into(), message };
        current.is_active().then(|| blocked(current, reason, &Actor::Verifier, context))
    };
    match (result, &turn.claim) {
        (VerdictResult::Met, _) => Some(complete(Completed::Verified)),
        (VerdictResult::Unverified, Some(Claim::Complete { .. })) => Some(complete(Completed::Unverified)),
        (VerdictResult::NoVerdict, _) => {
            block(Known::VerifierFailed, trouble.unwrap_or_else(|| "a check could not be run".to_owned()))
        }
        (_, Some(Claim::Blocked { reason })) => block(Known::ModelReported, reason.trim().to_owned()),
        _ => None,
    }
}

fn cannot_run(result: &CriterionResult) -> Option<String> {
    match &result.trouble {
        Some(CheckTrouble::CannotRun { message }) => Some(format!("{}: {message}", result.criterion.0)),
        Some(CheckTrouble::Killed { .. } | CheckTrouble::TimedOut { .. }) | None => None,
    }
}
