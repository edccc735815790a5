//! `say --now`: what runs is cut for a message, the message is the next turn, and nothing is lost by it.

use crate::fixture::{checked_goal, complete_claim, plain_goal, result};
use crate::session::Session;
use goald_core::Step;
use goald_core::command::Driver;
use goald_core::decide::Reply;
use goald_core::live::{CheckRun, Signal};
use goald_core::next_step::Why;
use goald_schema::ErrorCode;
use goald_schema::event::{CancelCause, Event, Outcome};
use goald_schema::goal::{Completed, Phase};
use goald_schema::id::{AttemptId, MessageId};
use goald_schema::number::AttemptNumber;

const CUT: Step = Step::Nothing(Why::Ending(Some(CancelCause::Message)));

/// What the newest message interrupted, as the log has it.
fn interrupted(session: &Session) -> Option<AttemptId> {
    let mut newest = session.log.iter().rev();
    let found = newest.find_map(|(_, fact)| match &fact.event {
        Event::MessageQueued(queued) => Some(queued.interrupts),
        _ => None,
    });
    found.expect("a message was queued")
}

fn deliver(messages: &[MessageId], number: u32) -> Step {
    Step::DeliverMessages { messages: messages.to_vec(), number: AttemptNumber(number) }
}

/// A session whose first round's turn is being checked.
fn checking(session: &mut Session) -> AttemptId {
    let attempt = session.start();
    session.claim(complete_claim()).expect("recorded");
    session.end(Outcome::Completed);
    assert!(matches!(session.settle(), Step::Verify { .. }));
    session.live.signal(Signal::CheckStarted);
    attempt
}

#[test]
fn a_running_round_is_cut_the_message_comes_next_and_the_round_goes_on() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    let attempt = session.start();
    let message = session.say_now();
    assert_eq!(interrupted(&session), Some(attempt), "on record");
    assert_eq!(session.step(), CUT);
    assert!(session.live.is_armed(), "the goal goes on");
    assert_eq!(session.phase(), &Phase::Active);
    session.end_cut();
    assert_eq!(session.step(), deliver(&[message], 1), "at once: workspace and slot are kept");
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(1, 2), "the same round's next attempt");
    assert!(session.state.current.as_ref().expect("current").round.as_ref().expect("open").was_cut);
    assert_eq!(session.admitted(), [1]);
}

#[test]
fn at_the_round_limit_the_cut_round_goes_on_all_the_same() {
    let mut session = Session::with_goal(plain_goal(1, 1));
    session.start();
    session.say_now();
    session.end_cut();
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(1, 2));
    session.start();
    session.end(Outcome::Completed);
    session.settle();
    assert_eq!(session.blocked_code(), "round-limit");
    assert_eq!(session.rounds(), 1);
}

#[test]
fn a_claim_of_the_cut_attempt_is_void_and_a_later_one_is_refused() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    session.say_now();
    assert_eq!(session.claim(complete_claim()), Err(ErrorCode::ClaimRefused));
    session.end_cut();
    assert_eq!(session.state.unverified, None, "nothing of it is checked");
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(1, 2));
}

#[test]
fn an_attempt_that_ended_by_itself_just_then_ends_its_round_but_the_message_voids_its_claim() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.claim(complete_claim()).expect("recorded");
    let message = session.say_now();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), deliver(&[message], 1));
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(2, 1));
}

#[test]
fn a_message_turn_is_cut_too_and_all_messages_come_again_in_order() {
    for armed in [true, false] {
        let mut session = if armed { Session::with_goal(plain_goal(1, 9)) } else { Session::new() };
        let first = session.say();
        let attempt = session.start();
        let second = session.say();
        let third = session.say_now();
        assert_eq!(interrupted(&session), Some(attempt));
        assert_eq!(session.step(), CUT);
        session.end_cut();
        assert_eq!(session.settle(), deliver(&[first, second, third], 2), "armed: {armed}");
        session.start();
        session.end(Outcome::Completed);
        assert!(session.state.queue.is_empty());
        let after = if armed { Session::start_of(1, 1) } else { Step::Nothing(Why::Disarmed) };
        assert_eq!(session.settle(), after, "the session is as armed as before");
    }
}

#[test]
fn a_running_check_is_given_up_and_made_again_after_the_message_without_the_claim() {
    let mut session = Session::with_goal(checked_goal(1, 9));
    let attempt = checking(&mut session);
    let late = session.check_report(vec![result("c1", true)]);
    let message = session.say_now();
    assert_eq!(interrupted(&session), Some(attempt));
    assert_eq!(session.step(), Step::Nothing(Why::Ending(None)), "nothing starts before it is gone");
    assert_eq!(session.driver(Driver::Checked(Box::new(late))), Ok(Reply::Ignored), "its result comes too late");
    session.live.signal(Signal::CheckGone);
    assert_eq!(session.step(), deliver(&[message], 1), "at once: workspace and slot are kept");
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.state.unverified.as_ref().expect("still to be checked").claim, None);
    session.verify(vec![result("c1", true)]).expect("recorded");
    assert_eq!(session.phase(), &Phase::Complete(Completed::Verified));
    assert_eq!(session.rounds(), 1);
}

#[test]
fn without_criteria_a_claim_whose_check_was_given_up_completes_nothing() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    checking(&mut session);
    session.say_now();
    session.live.signal(Signal::CheckGone);
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Session::start_of(2, 1));
}

#[test]
fn where_nothing_runs_it_is_a_plain_say() {
    let mut idle = Session::with_goal(plain_goal(1, 9));
    assert_eq!(idle.settle(), Session::start_of(1, 1), "a round is asked for, and not started yet");
    let message = idle.say_now();
    assert_eq!(interrupted(&idle), None);
    assert_eq!(idle.settle(), deliver(&[message], 1));

    let mut disarmed = Session::with_goal(plain_goal(1, 9));
    disarmed.pause().expect("paused");
    disarmed.say_now();
    assert_eq!(interrupted(&disarmed), None);
    disarmed.start();
    disarmed.end(Outcome::Completed);
    assert_eq!(disarmed.settle(), Step::Nothing(Why::Disarmed), "as disarmed as before");
}

#[test]
fn what_is_being_stopped_is_not_interrupted_too() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.pause().expect("paused");
    session.say_now();
    assert_eq!(interrupted(&session), None);
    assert_eq!(session.live.cancelling, Some(CancelCause::Pause));

    let mut twice = Session::with_goal(plain_goal(1, 9));
    twice.start();
    let first = twice.say_now();
    let second = twice.say_now();
    assert_eq!(interrupted(&twice), None, "once is enough");
    twice.end_cut();
    assert_eq!(twice.settle(), deliver(&[first, second], 1));
}

#[test]
fn a_stop_after_it_is_stronger_and_holds_the_message_back() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    let message = session.say_now();
    session.pause().expect("paused");
    assert_eq!(session.step(), Step::Nothing(Why::Ending(Some(CancelCause::Pause))));
    session.end_cut();
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    assert!(!session.live.has_slot, "nothing is kept for a message that may not go");
    session.resume().expect("resumed");
    assert_eq!(session.settle(), deliver(&[message], 1));
}

#[test]
fn a_requested_pause_still_lets_the_message_go_first() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.pause_after_round().expect("requested");
    let message = session.say_now();
    session.end_cut();
    assert_eq!(session.settle(), deliver(&[message], 1));
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    assert_eq!(session.phase(), &Phase::Paused);
    session.resume().expect("resumed");
    assert_eq!(session.settle(), Session::start_of(1, 2), "the round stayed open");
}

#[test]
fn replay_knows_the_message_and_runs_nothing() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    let message = session.say_now();
    session.end_cut();
    session.restart();
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    assert!(!session.live.interrupted);
    assert_eq!(session.live.check, CheckRun::None);
    session.resume().expect("resumed");
    assert_eq!(session.settle(), deliver(&[message], 1));
}
