//! The pure sequence of a verification: which criterion is checked next, and what the results amount to.

use goald_schema::criterion::{CheckTrouble, Criterion, CriterionResult};
use goald_schema::event::VerdictResult;

/// What a verification does next.
#[derive(Clone, PartialEq, Debug)]
pub enum NextCheck<'a> {
    /// Check this one.
    Check(&'a Criterion),
    /// Done, with this outcome.
    Done(VerdictResult),
}

/// The next criterion in the order given, or the outcome. Every criterion is checked, so that the next prompt can say
/// all that is missing; only one that could not be run at all ends the sequence: nothing follows from it.
pub fn next_check<'a>(plan: &'a [Criterion], results: &[CriterionResult]) -> NextCheck<'a> {
    let broken = |result: &CriterionResult| matches!(result.trouble, Some(CheckTrouble::CannotRun { .. }));
    if results.iter().any(broken) {
        return NextCheck::Done(VerdictResult::NoVerdict);
    }
    let unchecked = plan.iter().find(|criterion| results.iter().all(|result| result.criterion != criterion.id));
    match unchecked {
        Some(criterion) => NextCheck::Check(criterion),
        None if plan.is_empty() => NextCheck::Done(VerdictResult::Unverified),
        None if results.iter().all(|result| result.met) => NextCheck::Done(VerdictResult::Met),
        None => NextCheck::Done(VerdictResult::Unmet),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goald_schema::criterion::{Check, CommandCheck, CriterionId};

    fn criterion(id: &str) -> Criterion {
        let check = CommandCheck { run: "true".to_owned(), exit_code: 0, timeout_ms: 1_000 };
        Criterion { id: CriterionId(id.to_owned()), check: Check::Command(check) }
    }

    fn result(id: &str, met: bool) -> CriterionResult {
        let criterion = CriterionId(id.to_owned());
        CriterionResult { criterion, met, exit_code: Some(0), trouble: None, duration_ms: 1, output_tail: None }
    }

    #[test]
    fn checks_go_in_the_order_given_and_on_after_a_failure() {
        let plan = [criterion("c1"), criterion("c2")];
        assert_eq!(next_check(&plan, &[]), NextCheck::Check(&plan[0]));
        assert_eq!(next_check(&plan, &[result("c1", false)]), NextCheck::Check(&plan[1]));
        let unmet = [result("c1", false), result("c2", true)];
        assert_eq!(next_check(&plan, &unmet), NextCheck::Done(VerdictResult::Unmet));
        let met = [result("c1", true), result("c2", true)];
        assert_eq!(next_check(&plan, &met), NextCheck::Done(VerdictResult::Met));
    }

    #[test]
    fn a_check_that_cannot_run_is_no_verdict_and_never_met() {
        let plan = [criterion("c1"), criterion("c2")];
        let mut broken = result("c1", true);
        broken.trouble = Some(CheckTrouble::CannotRun { message: "no sh".to_owned() });
        assert_eq!(next_check(&plan, &[broken]), NextCheck::Done(VerdictResult::NoVerdict));
    }

    #[test]
    fn without_criteria_nothing_is_verified() {
        assert_eq!(next_check(&[], &[]), NextCheck::Done(VerdictResult::Unverified));
    }
}
