//! Failures, back-offs, lost attempts, clocks that jump.

use crate::fixture::{MAX_ATTEMPTS, RETRY_MS, draft, failed, plain_goal, wall};
use crate::session::Session;
use goald_core::command::Patch;
use goald_core::decide::Reply;
use goald_core::next_step::Why;
use goald_core::{Command, Step};
use goald_schema::ErrorCode;
use goald_schema::actor::Actor;
use goald_schema::event::{Event, FailureKind, Next, Outcome, TimeoutKind};
use goald_schema::goal::Phase;

/// Fails the open round transiently until the goal blocks.
fn fail_out(session: &mut Session) {
    for _ in 0..MAX_ATTEMPTS {
        session.now.mono = session.now.mono.plus(1_000_000);
        session.start();
        session.end(failed(FailureKind::Transient));
    }
    session.settle();
}

#[test]
fn a_transient_failure_retries_the_same_round_after_a_growing_back_off() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.end(failed(FailureKind::Transient));
    let until = session.now.mono.plus(RETRY_MS);
    assert_eq!(session.settle(), Step::Sleep { until });
    session.now.mono = until;
    session.start();
    session.end(failed(FailureKind::Transient));
    let until = session.now.mono.plus(2 * RETRY_MS);
    assert_eq!(session.settle(), Step::Sleep { until });
    assert_eq!(session.admitted(), [1]);
}

#[test]
fn a_round_that_fails_too_often_blocks_attempt_limit() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    fail_out(&mut session);
    assert_eq!(session.blocked_code(), "attempt-limit");
    assert_eq!(session.admitted(), [1]);
}

#[test]
fn a_guard_lost_repeatedly_ends_in_attempt_limit() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    for _ in 0..MAX_ATTEMPTS {
        session.now.mono = session.now.mono.plus(1_000_000);
        session.start();
        session.end(Outcome::Lost);
    }
    session.settle();
    assert_eq!(session.blocked_code(), "attempt-limit");
}

#[test]
fn a_humans_resume_resets_failure_counts_but_not_rounds() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.idle_round();
    fail_out(&mut session);
    assert_eq!(session.resume(), Ok(Reply::Done));
    assert_eq!(session.rounds(), 2);
    let next = MAX_ATTEMPTS + 1;
    assert_eq!(session.settle(), Session::start_of(2, next), "at once, the same round, attempts counted on");
    fail_out(&mut session);
    assert_eq!(session.blocked_code(), "attempt-limit");
    assert_eq!(session.admitted(), [1, 2]);
}

#[test]
fn a_resume_by_agent_or_policy_resets_nothing() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    fail_out(&mut session);
    let resume = Command::Resume { reference: session.reference() };
    assert_eq!(session.ask(&Actor::Policy, resume.clone()), Err(ErrorCode::LimitSpent));
    session.say();
    session.start();
    assert_eq!(session.agent(resume), Err(ErrorCode::LimitSpent));

    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.end(failed(FailureKind::Transient));
    let until = session.now.mono.plus(RETRY_MS);
    session.pause().expect("paused");
    session.say();
    session.start();
    let resume = Command::Resume { reference: session.reference() };
    assert_eq!(session.agent(resume), Ok(Reply::Done));
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Step::Sleep { until }, "the back-off stands");
}

#[test]
fn a_humans_resume_ends_a_back_off() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.end(failed(FailureKind::Transient));
    session.pause().expect("paused");
    session.resume().expect("resumed");
    assert_eq!(session.settle(), Session::start_of(1, 2));
}

#[test]
fn a_rounds_back_off_and_the_messages_back_off_do_not_mix() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.say();
    session.start();
    session.end(failed(FailureKind::Transient));
    let messages_due = session.now.mono.plus(RETRY_MS);
    session.start();
    session.now.mono = session.now.mono.plus(400);
    session.end(failed(FailureKind::Transient));
    assert_eq!(session.settle(), Step::Sleep { until: messages_due }, "the earlier of the two");
    session.now.mono = messages_due;
    session.start();
    session.end(Outcome::Completed);
    assert_eq!(session.settle(), Step::Sleep { until: messages_due.plus(400) }, "then the round's own");
}

#[test]
fn a_new_round_does_not_inherit_the_back_off_of_one_that_an_edit_abandoned() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.end(failed(FailureKind::Transient));
    session.edit(Patch { objective: Some(draft("other")), ..Patch::default() }).expect("edited");
    assert_eq!(session.settle(), Session::start_of(2, 1));
}

#[test]
fn a_back_off_left_after_a_restart_is_the_smaller_of_the_wall_clocks_rest_and_the_whole() {
    // (wall clock moved by so much while the daemon was down, what is left)
    for (moved, left) in [
        (400, RETRY_MS - 400),
        (5_000, 0),
        (-60_000, RETRY_MS),
        (0, RETRY_MS),
        (86_400_000, 0),
        (-86_400_000, RETRY_MS),
    ] {
        let mut session = Session::new();
        session.say();
        session.start();
        session.end(failed(FailureKind::Transient));
        session.now.wall = wall(session.now.wall.millis() + moved);
        session.restart();
        // A restart revokes the permit; what is left shows in the live state that a later permit finds.
        assert_eq!(session.live.queue_due, Some(session.now.mono.plus(left)), "moved by {moved} ms");
    }
}

#[test]
fn a_rounds_back_off_left_after_a_restart_is_kept_for_a_resume_that_resets_nothing() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.end(failed(FailureKind::Transient));
    session.now.wall = wall(session.now.wall.millis() + 300);
    session.restart();
    let resume = Command::Resume { reference: session.reference() };
    assert_eq!(session.ask(&Actor::Policy, resume), Ok(Reply::Done));
    assert_eq!(session.settle(), Step::Sleep { until: session.now.mono.plus(RETRY_MS - 300) });
}

#[test]
fn time_going_backwards_harms_nothing() {
    let mut session = Session::with_goal(plain_goal(1, 2));
    session.now.wall = wall(session.now.wall.millis() - 86_400_000);
    session.start();
    session.now.wall = wall(session.now.wall.millis() - 1_000);
    session.end(failed(FailureKind::Transient));
    let due = session.now.mono.plus(RETRY_MS);
    session.now.wall = wall(0);
    assert_eq!(session.settle(), Step::Sleep { until: due }, "live timers do not read the wall clock");
    session.now.mono = due;
    session.idle_round();
    session.idle_round();
    session.settle();
    assert_eq!(session.blocked_code(), "round-limit");
    assert_eq!(session.replayed(), session.state);
}

#[test]
fn a_crash_leaves_the_round_open_and_resume_runs_the_next_attempt_of_it() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    let attempt = session.start();
    session.restart();
    assert_eq!(session.settle(), Step::Recover { attempt });
    session.end(Outcome::Lost);
    assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
    session.resume().expect("resumed");
    assert_eq!(session.settle(), Session::start_of(1, 2), "at once: a crash of the daemon is no failure of the agent");
    assert_eq!(session.admitted(), [1]);
}

#[test]
fn a_crash_after_an_edit_of_the_content_goes_on_with_the_next_round() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.restart();
    session.settle();
    session.end(Outcome::Lost);
    session.edit(Patch { objective: Some(draft("other")), ..Patch::default() }).expect("edited");
    session.resume().expect("resumed");
    assert_eq!(session.settle(), Session::start_of(2, 1));
    assert_eq!(session.admitted(), [1, 2]);
}

#[test]
fn a_timeout_ends_the_round_and_a_failure_for_good_blocks_with_its_code() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.end(Outcome::Timeout { bound: TimeoutKind::Round });
    assert_eq!(session.settle(), Session::start_of(2, 1));
    let codes = [
        (FailureKind::UsageLimit, "usage-limit"),
        (FailureKind::AuthRequired, "auth-required"),
        (FailureKind::Configuration, "agent-failed"),
        (FailureKind::PromptRejected, "prompt-rejected"),
        (FailureKind::Spawn, "queue-failed"),
        (FailureKind::Workspace, "workspace-missing"),
    ];
    for (kind, code) in codes {
        let mut session = Session::with_goal(plain_goal(1, 9));
        session.start();
        session.end(failed(kind));
        assert_eq!(session.blocked_code(), code);
        assert_eq!(session.settle(), Step::Nothing(Why::Disarmed));
        session.resume().expect("resumed");
        assert_eq!(session.settle(), Session::start_of(1, 2), "the round stays open");
    }
}

#[test]
fn a_cut_answer_ends_the_round_and_a_full_context_begins_a_fresh_agent_session() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.end(failed(FailureKind::OutputLimit));
    assert_eq!(session.settle(), Session::start_of(2, 1));
    assert_eq!(session.state.agent_session.as_deref(), Some("s1"));
    session.start();
    session.end(failed(FailureKind::ContextExhausted));
    assert_eq!(session.state.agent_session, None);
    assert_eq!(session.phase(), &Phase::Active);
}

#[test]
fn a_back_off_says_when_and_for_how_long_in_the_log() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.start();
    session.end(failed(FailureKind::Transient));
    let at = wall(session.now.wall.millis() + 1_000);
    let next = session.log.iter().find_map(|(_, fact)| match &fact.event {
        Event::AttemptEnded(ended) => Some(ended.next.clone()),
        _ => None,
    });
    assert_eq!(next, Some(Next::Retry { at, after_ms: RETRY_MS }));
}
