//! What an agent session used so far: the base from which its next attempt's total is counted.

use crate::fixture::{failed, plain_goal};
use crate::session::Session;
use goald_core::command::{AttemptReport, Driver};
use goald_core::decide::Reply;
use goald_schema::event::{Delivered, FailureKind, Outcome};
use goald_schema::usage::Usage;

fn tokens(input_tokens: u64) -> Usage {
    Usage { input_tokens, ..Usage::default() }
}

/// The next attempt, from start to end, in this agent session; answers the session's total after it.
fn attempt(session: &mut Session, agent_session: Option<&str>, used: u64, outcome: Outcome) -> Usage {
    session.now.mono = session.now.mono.plus(1_000_000);
    let report = AttemptReport {
        attempt: session.start(),
        outcome,
        delivered: Delivered::Yes,
        usage: Some(tokens(used)),
        worked_ms: 5,
        agent_session: agent_session.map(str::to_owned),
        final_text: None,
    };
    assert_eq!(session.driver(Driver::Ended(Box::new(report))), Ok(Reply::Done));
    session.state.agent_session_usage
}

#[test]
fn attempts_of_one_agent_session_add_up_whatever_their_end_and_another_session_begins_anew() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    assert_eq!(attempt(&mut session, Some("s1"), 5, Outcome::Completed), tokens(5));
    assert_eq!(attempt(&mut session, Some("s1"), 7, failed(FailureKind::Transient)), tokens(12));
    assert_eq!(attempt(&mut session, None, 1, Outcome::Completed), tokens(13), "it says nothing: it goes on");
    session.say();
    assert_eq!(attempt(&mut session, Some("s1"), 2, Outcome::Completed), tokens(15), "message turns too");
    assert_eq!(attempt(&mut session, Some("s2"), 4, Outcome::Completed), tokens(4));
    let full = failed(FailureKind::ContextExhausted);
    assert_eq!(attempt(&mut session, Some("s2"), 4, full), tokens(0), "the next one begins a fresh session");
    assert_eq!(session.state.current.as_ref().expect("current").usage, tokens(23), "the goal counts every one");
    session.restart();
    assert_eq!(session.state.agent_session_usage, tokens(0));
}

#[test]
fn an_agent_without_sessions_has_no_base() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    assert_eq!(attempt(&mut session, None, 5, Outcome::Completed), tokens(0));
    assert_eq!(attempt(&mut session, None, 5, Outcome::Completed), tokens(0));
}
