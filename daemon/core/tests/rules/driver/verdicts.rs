//! Verdicts: what follows from them, and which of them count for nothing.

use crate::fixture::{broken, checked_goal, complete_claim, criterion, draft, plain_goal, result};
use crate::session::Session;
use goald_core::Step;
use goald_core::command::{Driver, Patch};
use goald_core::decide::Reply;
use goald_core::live::Signal;
use goald_core::next_step::Why;
use goald_schema::actor::Actor;
use goald_schema::event::{Event, Outcome, Verdict, VerdictResult};
use goald_schema::goal::{Completed, Phase};

fn verdicts(session: &Session) -> Vec<&Verdict> {
    let verdicts = session.log.iter().filter_map(|(_, fact)| match &fact.event {
        Event::VerdictRecorded(verdict) => Some(verdict),
        _ => None,
    });
    verdicts.collect()
}

#[test]
fn a_verdict_about_an_older_revision_has_no_effect() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.idle_round();
    session.settle();
    let late = session.check_report(vec![result("c1", true)]);
    session.edit(Patch { objective: Some(draft("other")), ..Patch::default() }).expect("edited");
    assert_eq!(session.driver(Driver::Checked(Box::new(late.clone()))), Ok(Reply::Ignored));
    session.idle_round();
    session.settle();
    assert_eq!(session.driver(Driver::Checked(Box::new(late))), Ok(Reply::Ignored));
    assert_eq!(session.phase(), &Phase::Active);
}

#[test]
fn a_verdict_about_an_older_content_of_the_same_attempt_has_no_effect() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.idle_round();
    session.settle();
    let mut report = session.check_report(vec![result("c1", true)]);
    report.content_revision = goald_schema::number::Revision(7);
    assert_eq!(session.driver(Driver::Checked(Box::new(report))), Ok(Reply::Ignored));
    assert_eq!(session.phase(), &Phase::Active);
}

#[test]
fn a_verdict_about_another_attempt_of_the_same_content_has_no_effect() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.idle_round();
    session.settle();
    let late = session.check_report(vec![result("c1", true)]);
    session.verify(vec![result("c1", false)]).expect("recorded");
    session.idle_round();
    session.settle();
    assert_eq!(session.driver(Driver::Checked(Box::new(late))), Ok(Reply::Ignored));
    assert_eq!(session.phase(), &Phase::Active);
}

#[test]
fn an_edit_of_the_content_discards_a_running_verification_and_waits_until_it_is_gone() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.idle_round();
    session.settle();
    session.live.signal(Signal::CheckStarted);
    session.edit(Patch { criteria: Some(vec![criterion("c2")]), ..Patch::default() }).expect("edited");
    assert_eq!(verdicts(&session).last().expect("recorded").result, VerdictResult::Discarded);
    assert_eq!(session.settle(), Step::Nothing(Why::Ending(None)), "its processes still run in the workspace");
    assert!(session.live.has_slot, "and so the workspace is still held");
    session.live.signal(Signal::CheckCancelled);
    assert_eq!(session.settle(), Step::Nothing(Why::Ending(None)));
    session.live.signal(Signal::CheckGone);
    assert_eq!(session.settle(), Session::start_of(2, 1));
    assert_eq!(session.phase(), &Phase::Active);
}

#[test]
fn an_edit_of_the_limits_discards_nothing() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.idle_round();
    session.settle();
    session.live.signal(Signal::CheckStarted);
    session.edit(Patch { max_rounds: Some(4), ..Patch::default() }).expect("edited");
    assert!(verdicts(&session).is_empty());
    session.verify(vec![result("c1", true)]).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Verified));
}

#[test]
fn a_pause_during_a_verification_waits_until_it_is_gone_and_its_result_counts_for_nothing() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.idle_round();
    session.settle();
    session.live.signal(Signal::CheckStarted);
    let report = session.check_report(vec![result("c1", true)]);
    session.pause().expect("paused");
    assert_eq!(session.step(), Step::Nothing(Why::Ending(None)));
    assert_eq!(session.driver(Driver::Checked(Box::new(report))), Ok(Reply::Ignored));
    assert_eq!(session.phase(), &Phase::Paused);
}

#[test]
fn a_humans_block_stops_the_check_of_a_claim_too() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.say();
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.end(Outcome::Completed);
    session.settle();
    session.live.signal(Signal::CheckStarted);
    let report = session.check_report(Vec::new());
    session.block().expect("blocked");
    assert_eq!(session.driver(Driver::Checked(Box::new(report))), Ok(Reply::Ignored));
    assert_eq!(session.blocked_code(), "human-reported");
}

#[test]
fn an_unmet_verdict_completes_nothing_whatever_the_agent_claims() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.end(Outcome::Completed);
    session.verify(vec![result("c1", false)]).expect("recorded");
    assert_eq!(session.phase(), &Phase::Active);
    assert_eq!(verdicts(&session).last().expect("recorded").result, VerdictResult::Unmet);
    assert_eq!(session.settle(), Session::start_of(2, 1));
}

#[test]
fn a_check_that_cannot_run_blocks_verifier_failed_and_is_never_met() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.idle_round();
    session.verify(vec![broken("c1")]).expect("recorded");
    assert_eq!(session.blocked_code(), "verifier-failed");
    assert_eq!(verdicts(&session).last().expect("recorded").result, VerdictResult::NoVerdict);
}

#[test]
fn results_that_leave_a_criterion_unchecked_are_no_verdict() {
    let create = goald_core::command::Create { criteria: vec![criterion("c1"), criterion("c2")], ..plain_goal(1, 9) };
    let mut session = Session::with_goal(create);
    session.idle_round();
    assert_eq!(session.verify(vec![result("c1", true)]), Ok(Reply::Ignored));
    assert_eq!(session.phase(), &Phase::Active);
    session.verify(vec![result("c1", true), result("c2", true)]).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Verified));
}

#[test]
fn verdict_and_completion_are_the_verifiers_and_one_append() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.idle_round();
    session.settle();
    let from = session.log.len();
    session.verify(vec![result("c1", true)]).expect("recorded");
    assert_eq!(session.kinds_since(from), ["verdict/recorded", "goal/change"]);
    assert!(session.log[from..].iter().all(|(_, fact)| fact.actor == Actor::Verifier));
}

#[test]
fn without_criteria_and_claim_there_is_no_verdict() {
    let mut session = Session::with_goal(plain_goal(1, 2));
    session.idle_round();
    assert_eq!(session.settle(), Session::start_of(2, 1));
    assert!(verdicts(&session).is_empty());
}

#[test]
fn a_message_turn_is_verified_only_if_it_claimed() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.say();
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(1, 1));
    session.say();
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.end(Outcome::Completed);
    assert!(matches!(session.settle(), Step::Verify { .. }));
}

#[test]
fn a_claim_in_a_permitted_turn_is_checked_and_completes_a_paused_goal() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    session.pause().expect("paused");
    session.say();
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.end(Outcome::Completed);
    session.verify(vec![result("c1", true)]).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Verified));
}
