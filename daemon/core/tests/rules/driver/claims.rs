//! What agents report, and when it counts.

use crate::fixture::{BLOCKED_FROM, blocked_claim, checked_goal, complete_claim, draft, plain_goal, result};
use crate::session::Session;
use goald_core::Command;
use goald_core::Step;
use goald_core::command::Patch;
use goald_core::decide::Reply;
use goald_schema::ErrorCode;
use goald_schema::event::{CancelCause, Event, Outcome, RefusedWhy, TimeoutKind};
use goald_schema::goal::{Completed, Phase};
use goald_schema::number::Revision;
use goald_schema::protocol::pause::PauseWhen;

fn last_refusal(session: &Session) -> RefusedWhy {
    match &session.log.last().expect("events").1.event {
        Event::ClaimRefused(refused) => refused.why,
        other => panic!("a refused claim is recorded, not {}", other.kind()),
    }
}

fn new_objective(text: &str) -> Patch {
    Patch { objective: Some(draft(text)), ..Patch::default() }
}

#[test]
fn a_claim_in_a_stale_revision_is_refused_and_recorded() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.edit(new_objective("make every test pass")).expect("edited");
    assert_eq!(session.claim(complete_claim()), Err(ErrorCode::ClaimRefused));
    assert_eq!(last_refusal(&session), RefusedWhy::StaleContent);
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(2, 1), "the edited goal goes on with the next round");
}

#[test]
fn a_claim_naming_a_revision_below_the_one_given_or_one_that_does_not_exist_is_refused() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.edit(Patch { max_rounds: Some(8), ..Patch::default() }).expect("edited");
    session.start();
    let given = session.reference();
    for revision in [1, given.revision.get() + 1] {
        let mut reference = given;
        reference.revision = Revision(revision);
        let claim = Command::Claim { reference: Some(reference), claim: complete_claim() };
        assert_eq!(session.agent(claim), Err(ErrorCode::ClaimRefused));
        assert_eq!(last_refusal(&session), RefusedWhy::StaleContent);
    }
    let claim = Command::Claim { reference: Some(given), claim: complete_claim() };
    assert_eq!(session.agent(claim), Ok(Reply::ClaimRecorded));
}

#[test]
fn raising_a_limit_in_mid_turn_does_not_void_a_claim() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.edit(Patch { max_rounds: Some(20), ..Patch::default() }).expect("edited");
    assert_eq!(session.claim(complete_claim()), Ok(Reply::ClaimRecorded), "nor does it refuse the next");
    session.end(Outcome::Completed);
    session.verify(Vec::new()).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Unverified));
}

#[test]
fn a_new_objective_in_mid_turn_voids_the_claim_made_before_it() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.edit(new_objective("something else")).expect("edited");
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(2, 1));
    assert_eq!(session.phase(), &Phase::Active);
}

#[test]
fn a_claim_of_an_attempt_that_did_not_end_by_itself_is_void() {
    let cut = [
        Outcome::Timeout { bound: TimeoutKind::Idle },
        Outcome::Interrupted { cause: CancelCause::Pause },
        Outcome::Lost,
    ];
    for outcome in cut {
        let mut session = Session::with_goal(plain_goal(1, 9));
        session.start();
        session.claim(complete_claim()).expect("recorded");
        session.end(outcome.clone());
        assert!(session.state.unverified.is_none(), "{outcome:?}");
        assert_eq!(session.phase(), &Phase::Active);
    }
}

#[test]
fn the_last_claim_of_a_turn_counts() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    for _ in 1..BLOCKED_FROM {
        session.idle_round();
    }
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.claim(blocked_claim()).expect("recorded");
    session.end(Outcome::Completed);
    session.verify(Vec::new()).expect("recorded");
    assert_eq!(session.blocked_code(), "model-reported");
}

#[test]
fn the_threshold_for_blocked_is_a_minimum_round_number_and_says_how_many_are_missing() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    for round in 1..BLOCKED_FROM {
        session.start();
        assert_eq!(session.claim(blocked_claim()), Err(ErrorCode::ClaimRefused));
        let missing_rounds = BLOCKED_FROM - round;
        assert_eq!(last_refusal(&session), RefusedWhy::TooEarly { missing_rounds });
        session.end(Outcome::Completed);
    }
    session.start();
    assert_eq!(session.claim(blocked_claim()), Ok(Reply::ClaimRecorded));
    assert_eq!(session.phase(), &Phase::Active, "it takes effect when the turn ends");
    session.end(Outcome::Completed);
    session.verify(Vec::new()).expect("recorded");
    assert_eq!(session.blocked_code(), "model-reported");
    match session.phase() {
        Phase::Blocked(reason) => assert_eq!(reason.message, "the server is gone"),
        other => panic!("blocked, not {other:?}"),
    }
}

#[test]
fn an_agent_in_a_humans_turn_may_report_blocked_at_once() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.say();
    session.start();
    assert_eq!(session.claim(blocked_claim()), Ok(Reply::ClaimRecorded));
    session.end(Outcome::Completed);
    session.verify(Vec::new()).expect("recorded");
    assert_eq!(session.blocked_code(), "model-reported");
    assert_eq!(session.rounds(), 0);
}

#[test]
fn criteria_come_before_an_accepted_blocked_and_may_complete_the_goal_instead() {
    for (met, complete) in [(true, true), (false, false)] {
        let mut session = Session::with_goal(checked_goal(1, 9));
        session.say();
        session.start();
        session.claim(blocked_claim()).expect("recorded");
        session.end(Outcome::Completed);
        session.verify(vec![result("c1", met)]).expect("recorded");
        assert_eq!(*session.phase() == Phase::Complete(Completed::Verified), complete);
        assert!(complete || session.blocked_code() == "model-reported");
    }
}

#[test]
fn a_message_turn_voids_the_claim_of_the_round_before_it() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.say();
    session.end(Outcome::Completed);
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(2, 1), "nothing is left to verify");
    assert_eq!(session.phase(), &Phase::Active);
}

#[test]
fn a_stopped_attempts_late_reports_are_refused() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.pause().expect("paused");
    assert_eq!(session.claim(complete_claim()), Err(ErrorCode::ClaimRefused));
    assert_eq!(last_refusal(&session), RefusedWhy::Stopping);
    let resume = Command::Resume { reference: session.reference() };
    assert_eq!(session.agent(resume), Err(ErrorCode::NotPermitted));
}

#[test]
fn an_agent_whose_message_turn_is_stopped_cannot_undo_the_stop() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.say();
    session.start();
    session.pause().expect("paused");
    let resume = Command::Resume { reference: session.reference() };
    assert_eq!(session.agent(resume), Err(ErrorCode::NotPermitted));
    assert_eq!(session.phase(), &Phase::Paused);
    assert!(!session.live.is_armed());
}

#[test]
fn an_ended_attempts_token_makes_no_claims() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    let dead = session.agent_actor();
    session.end(Outcome::Completed);
    session.start();
    let claim = Command::Claim { reference: None, claim: complete_claim() };
    assert_eq!(session.ask(&dead, claim), Err(ErrorCode::NotPermitted));
    assert!(matches!(session.log.last().expect("events").1.event, Event::AuthorityRefused(_)));
}

#[test]
fn a_flood_of_reports_is_cut_off_at_two_hundred_events() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    let before = session.log.len();
    for _ in 0..250 {
        // What matters is what is recorded, not what is answered.
        let _ = session.claim(blocked_claim());
    }
    assert_eq!(session.log.len() - before, 200);
    session.end(Outcome::Completed);
    session.start();
    assert_eq!(session.claim(complete_claim()), Ok(Reply::ClaimRecorded), "the next attempt has its own bound");
}

#[test]
fn a_flood_of_what_an_agent_may_do_is_cut_off_too() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.say();
    session.start();
    let before = session.log.len();
    for turn in 0..250 {
        let patch = new_objective(&format!("objective {turn}"));
        let edit = Command::Edit { reference: session.reference(), patch };
        let expected = if turn < 200 { Ok(Reply::Done) } else { Err(ErrorCode::NotPermitted) };
        assert_eq!(session.agent(edit), expected, "edit {turn}");
    }
    assert_eq!(session.log.len() - before, 200);
    let pause = Command::Pause { reference: Some(session.reference()), when: PauseWhen::Now };
    assert_eq!(session.agent(pause), Err(ErrorCode::NotPermitted));
    assert_eq!(session.pause(), Ok(Reply::Done), "a person's word counts all the same");
}

#[test]
fn a_flood_of_others_is_cut_off_too_and_takes_no_agents_report_away() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    let before = session.log.len();
    let other = goald_schema::Actor::Other { why: goald_schema::actor::OtherWhy::AttemptMarker };
    for _ in 0..250 {
        let clear = Command::Clear { reference: Some(session.reference()) };
        assert_eq!(session.ask(&other, clear), Err(ErrorCode::NotPermitted));
    }
    assert_eq!(session.log.len() - before, 200);
    assert_eq!(session.claim(complete_claim()), Ok(Reply::ClaimRecorded));
}

#[test]
fn pause_cancels_a_verification_but_not_the_claim_and_resume_verifies_first() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.end(Outcome::Completed);
    session.pause().expect("paused");
    assert_eq!(session.resume(), Ok(Reply::Done));
    assert!(matches!(session.settle(), Step::Verify { .. }));
    session.verify(Vec::new()).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Unverified));
}
