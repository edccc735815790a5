//! Pause, cancel, complete, clear, restart: stop means stop, and nothing is lost by it.

use crate::fixture::{complete_claim, draft, plain_goal};
use crate::session::Session;
use goald_core::command::{Create, Driver, Patch};
use goald_core::decide::Reply;
use goald_core::next_step::Why;
use goald_core::{Command, Step};
use goald_schema::ErrorCode;
use goald_schema::event::{CancelCause, Event, GoalChange, Outcome, RoundEnd};
use goald_schema::goal::{Completed, Phase};
use goald_schema::number::{Revision, Round};

#[test]
fn edit_of_a_queued_round_gives_the_agent_the_new_text() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    let stale = session.settle();
    let started = session.started(&stale).expect("round 1 is asked for");
    session.edit(Patch { objective: Some(draft("other")), ..Patch::default() }).expect("edited");
    let from = session.log.len();
    assert_eq!(session.driver(Driver::Started(Box::new(started))), Ok(Reply::Ignored), "the prompt was the old one");
    assert_eq!(session.kinds_since(from), Vec::<&str>::new());
    assert_eq!(session.settle(), Session::start_of(2, 1), "the number of the abandoned round is used up");
    let abandoned = session.log.iter().any(|(_, fact)| {
        matches!(&fact.event, Event::RoundEnded(ended) if ended.round == Round(1) && ended.how == RoundEnd::Abandoned)
    });
    assert!(abandoned);
}

#[test]
fn cancel_before_admission_uses_no_round() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    assert!(matches!(session.step(), Step::Acquire(_)));
    session.live.signal(goald_core::live::Signal::SlotGranted);
    let admit = session.step();
    session.pause().expect("paused");
    assert_eq!(session.driver(Driver::Carry(admit)), Ok(Reply::Ignored));
    assert!(session.admitted().is_empty());
    assert_eq!(session.rounds(), 0);
}

#[test]
fn cancel_after_admission_starts_nothing_and_keeps_the_number() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    let step = session.settle();
    let started = session.started(&step).expect("round 1 is asked for");
    session.pause().expect("paused");
    assert_eq!(session.driver(Driver::Started(Box::new(started))), Ok(Reply::Ignored));
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    session.resume().expect("resumed");
    assert_eq!(session.settle(), Session::start_of(1, 1), "admitted once, attempted once");
    assert_eq!(session.admitted(), [1]);
}

#[test]
fn pause_cancels_the_running_attempt_and_no_queued_continuation_runs() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.pause().expect("paused");
    assert_eq!(session.step(), Step::Nothing(Why::Ending(Some(CancelCause::Pause))));
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    assert_eq!(session.admitted(), [1]);
}

#[test]
fn a_pause_request_takes_effect_at_the_rounds_end() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    let revision = session.reference().revision;
    assert_eq!(session.pause_after_round(), Ok(Reply::Done));
    assert_eq!(session.reference().revision, revision, "a request raises no revision");
    assert_eq!(session.step(), Step::Nothing(Why::Running), "and cuts nothing");
    let from = session.log.len();
    assert_eq!(session.pause_after_round(), Ok(Reply::Done), "asked twice is asked once");
    assert_eq!(session.kinds_since(from), Vec::<&str>::new());
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    assert_eq!(session.phase(), &Phase::Paused);
    assert_eq!(session.admitted(), [1]);
}

#[test]
fn a_resume_withdraws_a_pause_request() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.pause_after_round().expect("requested");
    let revision = session.reference().revision;
    assert_eq!(session.resume(), Ok(Reply::Done));
    assert_eq!(session.reference().revision, revision);
    assert_eq!(session.resume(), Err(ErrorCode::AlreadyArmed));
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(2, 1));
}

#[test]
fn a_pause_after_round_with_nothing_in_progress_pauses_at_once() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    assert_eq!(session.pause_after_round(), Ok(Reply::Done));
    assert_eq!(session.phase(), &Phase::Paused);
}

#[test]
fn a_requested_pause_comes_after_verification_so_a_met_goal_is_complete() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.pause_after_round().expect("requested");
    session.end(Outcome::Completed);
    session.verify(Vec::new()).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Unverified));
}

#[test]
fn completion_from_every_stopped_phase() {
    let stop: [fn(&mut Session); 3] =
        [|session| assert!(session.pause().is_ok()), |session| assert!(session.block().is_ok()), Session::restart];
    for stop in stop {
        let mut session = Session::with_goal(plain_goal(1, 9));
        stop(&mut session);
        assert_eq!(session.complete(), Ok(Reply::Done));
        assert_eq!(session.phase(), &Phase::Complete(Completed::Unverified));
        assert_eq!(session.complete(), Err(ErrorCode::WrongPhase), "once is enough");
    }
}

#[test]
fn a_humans_complete_with_criteria_is_recorded_as_an_override_and_ends_the_attempt() {
    let mut session = Session::with_goal(crate::fixture::checked_goal(1, 9));
    session.start();
    session.complete().expect("completed");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Override));
    assert_eq!(session.step(), Step::Nothing(Why::Ending(Some(CancelCause::Complete))));
    session.end_cut();
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
}

#[test]
fn a_fresh_id_after_completion_and_never_one_used_before() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.complete().expect("completed");
    let again = Command::Create(Box::new(plain_goal(1, 9)));
    assert_eq!(session.human(again), Err(ErrorCode::InvalidValue));
    let fresh = Command::Create(Box::new(plain_goal(2, 9)));
    assert_eq!(session.human(fresh), Ok(Reply::Done));
    assert_eq!(session.reference().revision, Revision(1));
    assert_eq!(session.rounds(), 0);
    session.clear().expect("cleared");
    let again = Command::Create(Box::new(plain_goal(2, 9)));
    assert_eq!(session.human(again), Err(ErrorCode::InvalidValue), "not even after clear");
}

#[test]
fn clear_leaves_a_tombstone_one_revision_on_and_twice_does_nothing() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.pause().expect("paused");
    let last = session.reference();
    assert_eq!(session.clear(), Ok(Reply::Done));
    match &session.log.last().expect("events").1.event {
        Event::GoalChange(GoalChange::Clear(cleared)) => {
            assert_eq!(cleared.cleared.id, last.id);
            assert_eq!(cleared.cleared.revision, Revision(last.revision.get() + 1));
        }
        other => panic!("a tombstone, not {}", other.kind()),
    }
    assert!(session.state.current.is_none());
    let from = session.log.len();
    assert_eq!(session.clear(), Ok(Reply::Done));
    assert_eq!(session.kinds_since(from), Vec::<&str>::new());
    assert_eq!(session.pause(), Err(ErrorCode::NothingToStop));
}

#[test]
fn a_cleared_goals_attempt_writes_nothing_back() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.clear().expect("cleared");
    assert_eq!(session.claim(complete_claim()), Err(ErrorCode::NoGoal));
    let from = session.log.len();
    session.end_cut();
    assert_eq!(session.kinds_since(from), ["attempt/ended"]);
    assert!(session.state.current.is_none());
}

#[test]
fn replace_is_clear_and_create_in_one_and_checks_the_old_ref() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    let old = session.reference();
    let mut stale = old;
    stale.revision = Revision(7);
    let replace = |seen| Command::Create(Box::new(Create { replaces: Some(seen), ..plain_goal(2, 9) }));
    assert_eq!(session.human(replace(stale)), Err(ErrorCode::StaleRevision));
    let from = session.log.len();
    assert_eq!(session.human(replace(old)), Ok(Reply::Done));
    assert_eq!(session.kinds_since(from), ["goal/change", "goal/change"]);
    assert_eq!(session.step(), Step::Nothing(Why::Ending(Some(CancelCause::Clear))), "the old attempt goes first");
    session.end_cut();
    assert_eq!(session.settle(), Session::start_of(1, 1));
}

#[test]
fn a_restart_disarms_and_keeps_phase_revision_and_rounds() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.idle_round();
    session.settle();
    let (reference, rounds) = (session.reference(), session.rounds());
    session.restart();
    assert!(!session.live.is_armed());
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed), "no work begins by itself");
    assert_eq!((session.reference(), session.rounds()), (reference, rounds));
    assert_eq!(session.phase(), &Phase::Active);
    assert_eq!(session.resume(), Ok(Reply::Done), "active and disarmed can be resumed");
}

#[test]
fn while_the_daemon_stops_nothing_is_created_resumed_or_said() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.live.signal(goald_core::live::Signal::Disarm(CancelCause::DaemonStop));
    assert_eq!(session.resume(), Err(ErrorCode::Stopping));
    assert_eq!(session.claim(complete_claim()), Err(ErrorCode::ClaimRefused));
    session.end_cut();
    session.clear().expect("cleared");
    let create = Command::Create(Box::new(plain_goal(2, 9)));
    assert_eq!(session.human(create), Err(ErrorCode::Stopping));
    assert_eq!(session.settle(), Step::Nothing(Why::Stopping));
}

#[test]
fn a_full_disk_disarms_but_a_later_resume_goes_on() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.live.signal(goald_core::live::Signal::Disarm(CancelCause::StoreFailed));
    assert!(!session.live.is_armed());
    session.end_cut();
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    session.resume().expect("resumed");
    assert_eq!(session.settle(), Session::start_of(1, 2));
}
