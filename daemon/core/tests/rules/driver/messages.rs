//! A human's messages: before rounds, behind them, and while nothing may run.

use crate::fixture::{MAX_ATTEMPTS, RETRY_MS, complete_claim, failed, plain_goal};
use crate::session::Session;
use goald_core::Step;
use goald_core::next_step::Why;
use goald_schema::event::{Delivered, Event, FailureKind, MessageDelivered, Outcome};
use goald_schema::goal::{Completed, Phase};
use goald_schema::number::AttemptNumber;

type Act = fn(&mut Session);

fn last_delivery(session: &Session) -> &MessageDelivered {
    let mut newest = session.log.iter().rev();
    let found = newest.find_map(|(_, fact)| match &fact.event {
        Event::MessageDelivered(delivered) => Some(delivered),
        _ => None,
    });
    found.expect("a delivery is recorded")
}

#[test]
fn a_human_message_before_a_reserved_round_goes_first_and_uses_no_number() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    assert!(matches!(session.step(), Step::Acquire(_)), "round 1 is next");
    let message = session.say();
    let step = session.settle();
    assert_eq!(step, Step::DeliverMessages { messages: vec![message], number: AttemptNumber(1) });
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(last_delivery(&session).messages, [message]);
    assert_eq!(session.rounds(), 0);
    assert_eq!(session.settle(), Session::start_of(1, 1));
}

#[test]
fn a_human_message_after_the_admission_goes_before_the_rounds_first_attempt() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    assert_eq!(session.settle(), Session::start_of(1, 1), "round 1 is admitted");
    session.say();
    assert!(matches!(session.settle(), Step::DeliverMessages { .. }));
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(1, 1), "the same round, not another");
    assert_eq!(session.admitted(), [1]);
}

#[test]
fn a_human_message_behind_a_running_round_is_delivered_after_it_and_stops_nothing() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    let first = session.say();
    let second = session.say();
    assert_eq!(session.step(), Step::Nothing(Why::Running));
    assert_eq!(session.live.cancelling, None);
    assert_eq!(session.phase(), &Phase::Active);
    assert!(session.live.is_armed(), "adding a remark is not stopping");
    session.end(Outcome::Completed);
    let both = Step::DeliverMessages { messages: vec![first, second], number: AttemptNumber(1) };
    assert_eq!(session.settle(), both, "all in one turn, in order");
}

#[test]
fn a_message_while_a_check_runs_waits_for_it_and_its_result_counts() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.end(Outcome::Completed);
    assert!(matches!(session.settle(), Step::Verify { .. }));
    session.live.signal(goald_core::live::Signal::CheckStarted);
    session.say();
    assert!(matches!(session.step(), Step::Verify { .. }), "nothing else starts in the workspace meanwhile");
    session.live.signal(goald_core::live::Signal::CheckDone);
    let report = session.check_report(Vec::new());
    session.driver(goald_core::command::Driver::Checked(Box::new(report))).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Unverified));
}

#[test]
fn a_say_to_a_disarmed_session_permits_one_turn_and_leaves_it_as_disarmed_as_before() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.pause().expect("paused");
    session.say();
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    assert_eq!(session.phase(), &Phase::Paused);
    assert!(session.state.queue.is_empty());
    assert!(session.admitted().is_empty());
}

#[test]
fn messages_stay_queued_after_pause_and_restart_and_a_say_delivers_all_in_order() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    let first = session.say();
    session.pause().expect("paused");
    session.end_cut();
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    session.restart();
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    let second = session.say();
    let both = Step::DeliverMessages { messages: vec![first, second], number: AttemptNumber(1) };
    assert_eq!(session.settle(), both);
}

#[test]
fn pause_clear_stop_and_restart_revoke_the_permit_of_a_say() {
    let revoke: [(&str, Act); 4] = [
        ("pause", |session| assert!(session.pause().is_ok())),
        ("clear", |session| assert!(session.clear().is_ok())),
        ("restart", Session::restart),
        ("stop", |session| {
            let stop = goald_schema::event::CancelCause::DaemonStop;
            session.live.signal(goald_core::live::Signal::Disarm(stop));
        }),
    ];
    for (name, revoke) in revoke {
        let mut session = Session::new();
        session.say();
        assert!(matches!(session.settle(), Step::DeliverMessages { .. }));
        revoke(&mut session);
        assert!(matches!(session.settle(), Step::Nothing(_)), "{name}");
        assert_eq!(session.state.queue.len(), 1, "{name}");
    }
}

#[test]
fn a_failed_message_turn_waits_for_its_own_back_off_and_a_newer_one_makes_all_due() {
    let mut session = Session::new();
    let first = session.say();
    session.start();
    session.end(failed(FailureKind::Transient));
    let until = session.now.mono.plus(RETRY_MS);
    assert_eq!(session.settle(), Step::Sleep { until });
    let second = session.say();
    let both = Step::DeliverMessages { messages: vec![first, second], number: AttemptNumber(2) };
    assert_eq!(session.settle(), both);
}

#[test]
fn a_messages_back_off_holds_up_no_round() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.say();
    session.start();
    session.end(failed(FailureKind::Transient));
    assert_eq!(session.settle(), Session::start_of(1, 1));
}

#[test]
fn a_messages_back_off_does_not_hold_up_an_open_round() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    assert_eq!(session.settle(), Session::start_of(1, 1));
    session.say();
    session.start();
    session.end(failed(FailureKind::Transient));
    assert_eq!(session.settle(), Session::start_of(1, 1));
}

#[test]
fn a_newer_message_during_a_failing_message_turn_leaves_no_back_off_behind() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.say();
    session.start();
    session.say();
    session.end(failed(FailureKind::Transient));
    assert!(matches!(session.settle(), Step::DeliverMessages { .. }), "all are due");
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(1, 1), "and the round waits for nothing");
}

#[test]
fn a_message_out_of_retries_closes_as_failed_and_blocks_no_goal() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    let message = session.say();
    for attempt in 1..=MAX_ATTEMPTS {
        session.now.mono = session.now.mono.plus(1_000_000);
        assert!(matches!(session.settle(), Step::DeliverMessages { .. }), "attempt {attempt}");
        session.start();
        session.end(failed(FailureKind::Transient));
    }
    assert_eq!(last_delivery(&session).messages, [message]);
    assert!(last_delivery(&session).failed.is_some() && last_delivery(&session).attempt.is_none());
    assert_eq!(session.settle(), Session::start_of(1, 1));
    assert_eq!(session.phase(), &Phase::Active);
}

#[test]
fn a_message_turn_cut_by_pause_of_an_active_goal_leaves_its_messages_queued() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    let message = session.say();
    session.start();
    session.pause().expect("paused");
    session.end_cut();
    assert_eq!(session.state.queue.iter().map(|queued| queued.id).collect::<Vec<_>>(), [message]);
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    session.resume().expect("resumed");
    let again = Step::DeliverMessages { messages: vec![message], number: AttemptNumber(2) };
    assert_eq!(session.settle(), again);
}

#[test]
fn a_message_turn_cut_by_clear_complete_block_or_by_pause_without_active_goal_is_over() {
    let paused: Act = |session| assert!(session.pause().is_ok());
    let nothing: Act = |_| {};
    let stops: [(&str, Act, Act); 5] = [
        ("clear", nothing, |session| assert!(session.clear().is_ok())),
        ("complete", nothing, |session| assert!(session.complete().is_ok())),
        ("block", nothing, |session| assert!(session.block().is_ok())),
        ("pause of a paused goal", paused, |session| assert!(session.pause().is_ok())),
        ("clear of a paused goal", paused, |session| assert!(session.clear().is_ok())),
    ];
    for (name, before, stop) in stops {
        let mut session = Session::with_goal(plain_goal(1, 9));
        before(&mut session);
        let message = session.say();
        let attempt = session.start();
        let from = session.log.len();
        stop(&mut session);
        assert!(session.kinds_since(from).contains(&"turn/stopped"), "{name}");
        session.end_cut();
        assert_eq!(last_delivery(&session).messages, [message], "{name}");
        assert_eq!(last_delivery(&session).attempt, Some(attempt), "{name}");
        assert_eq!(session.settle(), Step::Nothing(Why::Disarmed), "{name}");
    }
}

#[test]
fn a_permit_that_met_no_start_does_not_outlive_its_message() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.pause().expect("paused");
    session.say();
    session.settle();
    let reason = goald_schema::goal::BlockedReason {
        code: goald_schema::reason::Known::QueueFailed.into(),
        message: "no program".to_owned(),
    };
    session.driver(goald_core::command::Driver::CannotStart(reason)).expect("recorded");
    assert!(last_delivery(&session).failed.is_some());
    session.resume().expect("resumed");
    session.start();
    session.say();
    session.end(failed(FailureKind::AuthRequired));
    assert_eq!(session.blocked_code(), "auth-required");
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed), "the queued message waits for a human");
}

#[test]
fn messages_that_nobody_has_read_outlive_clear_complete_and_block_and_go_with_the_next_say_in_order() {
    let stops: [(&str, Act); 3] = [
        ("clear", |session| assert!(session.clear().is_ok())),
        ("complete", |session| assert!(session.complete().is_ok())),
        ("block", |session| assert!(session.block().is_ok())),
    ];
    for (name, stop) in stops {
        let mut session = Session::with_goal(plain_goal(1, 9));
        let handed = session.say();
        session.start();
        let waiting = session.say();
        stop(&mut session);
        let cause = session.live.cancelling.expect("the turn is stopped");
        session.end_delivered(Outcome::Interrupted { cause }, Delivered::No);
        assert_eq!(session.settle(), Step::Nothing(Why::Disarmed), "{name}");
        session.restart();
        let newest = session.say();
        let all = Step::DeliverMessages { messages: vec![handed, waiting, newest], number: AttemptNumber(2) };
        assert_eq!(session.settle(), all, "{name}");
        session.start();
        session.end(Outcome::Completed);
        assert_eq!(last_delivery(&session).messages, [handed, waiting, newest], "{name}");
        assert!(session.state.queue.is_empty(), "{name}");
        assert_eq!(session.settle(), Step::Nothing(Why::Disarmed), "{name}: as disarmed as before");
    }
}
