//! How many rounds a goal gets.

use crate::fixture::{checked_goal, complete_claim, plain_goal, result};
use crate::session::Session;
use goald_core::Step;
use goald_core::command::Patch;
use goald_core::decide::Reply;
use goald_core::next_step::Why;
use goald_schema::ErrorCode;
use goald_schema::event::Outcome;
use goald_schema::goal::{Completed, Phase};

/// Runs rounds that report nothing until nothing is left to do.
fn run_out(session: &mut Session) {
    for _ in 0..50 {
        match session.settle() {
            Step::StartRound { .. } => session.idle_round(),
            Step::Verify { .. } => {
                assert_eq!(session.verify(vec![result("c1", false)]), Ok(Reply::Done));
            }
            Step::Nothing(_) => return,
            other => panic!("unexpected step {other:?}"),
        }
    }
    panic!("50 steps and still not out of rounds");
}

#[test]
fn a_cap_of_five_ends_blocked_in_round_five_and_a_cap_of_one_in_round_one() {
    for cap in [5, 1] {
        let mut session = Session::with_goal(checked_goal(1, cap));
        run_out(&mut session);
        assert_eq!(session.blocked_code(), "round-limit");
        assert_eq!(session.admitted(), (1..=cap).collect::<Vec<u32>>());
        assert_eq!(session.rounds(), cap);
    }
}

#[test]
fn an_agent_that_never_reports_runs_exactly_to_its_cap() {
    let mut session = Session::with_goal(plain_goal(1, 7));
    run_out(&mut session);
    assert_eq!(session.blocked_code(), "round-limit");
    assert_eq!(session.admitted(), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(session.resume(), Err(ErrorCode::LimitSpent));
}

#[test]
fn the_same_goal_met_in_round_two_is_complete_with_a_cap_of_five_and_blocked_with_a_cap_of_one() {
    for (cap, complete) in [(5, true), (1, false)] {
        let mut session = Session::with_goal(checked_goal(1, cap));
        session.idle_round();
        session.verify(vec![result("c1", false)]).expect("recorded");
        if let Step::StartRound { .. } = session.settle() {
            session.idle_round();
            session.verify(vec![result("c1", true)]).expect("recorded");
        }
        assert_eq!(*session.phase() == Phase::Complete(Completed::Verified), complete, "cap {cap}");
        assert_eq!(session.rounds(), if complete { 2 } else { 1 });
    }
}

#[test]
fn success_in_the_very_last_round_is_complete_not_limited() {
    let mut session = Session::with_goal(checked_goal(1, 1));
    session.idle_round();
    session.verify(vec![result("c1", true)]).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Verified));

    let mut session = Session::with_goal(plain_goal(1, 1));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.end(Outcome::Completed);
    session.verify(Vec::new()).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Unverified));
}

#[test]
fn a_raised_limit_resumes_with_rounds_and_usage_kept() {
    let mut session = Session::with_goal(plain_goal(1, 2));
    run_out(&mut session);
    let worked = session.state.current.as_ref().expect("a goal").worked_ms;
    assert!(worked > 0);
    assert_eq!(session.edit(Patch { max_rounds: Some(3), ..Patch::default() }), Ok(Reply::Done));
    assert_eq!(session.blocked_code(), "round-limit", "an edit alone starts nothing");
    assert_eq!(session.step(), Step::Nothing(Why::Disarmed));
    assert_eq!(session.resume(), Ok(Reply::Done));
    assert_eq!(session.settle(), Session::start_of(3, 1));
    assert_eq!(session.state.current.as_ref().expect("a goal").worked_ms, worked);
    run_out(&mut session);
    assert_eq!(session.admitted(), [1, 2, 3]);
}

#[test]
fn reactivating_after_a_failed_verification_keeps_the_round_count() {
    let mut session = Session::with_goal(checked_goal(1, 3));
    session.idle_round();
    session.verify(vec![result("c1", false)]).expect("recorded");
    session.block().expect("blocked");
    session.resume().expect("resumed");
    assert_eq!(session.rounds(), 1);
    run_out(&mut session);
    assert_eq!(session.admitted(), [1, 2, 3]);
    assert_eq!(session.blocked_code(), "round-limit");
}

#[test]
fn a_cut_round_is_continued_even_at_the_round_limit() {
    let mut session = Session::with_goal(plain_goal(1, 1));
    session.start();
    session.pause().expect("paused");
    session.end_cut();
    assert_eq!(session.resume(), Ok(Reply::Done), "a round is left to be continued");
    assert_eq!(session.settle(), Session::start_of(1, 2));
    session.idle_round();
    session.settle();
    assert_eq!(session.blocked_code(), "round-limit");
    assert_eq!(session.admitted(), [1]);
}
