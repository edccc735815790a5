//! The ref that every change carries, and what an agent may not put into a goal of its own.

use crate::fixture::{DEFAULT_ROUNDS, criterion, draft, plain_goal};
use crate::session::Session;
use goald_core::Command;
use goald_core::command::{Create, Patch};
use goald_core::decide::Reply;
use goald_schema::ErrorCode;
use goald_schema::goal::{GoalRef, Limits, WorkspaceUse};
use goald_schema::id::GoalId;
use goald_schema::number::Revision;
use goald_schema::protocol::pause::PauseWhen;
use uuid::Uuid;

fn every_change(reference: GoalRef) -> Vec<Command> {
    let (code, message) = ("human-reported".to_owned(), "wait".to_owned());
    vec![
        Command::Edit { reference, patch: Patch { objective: Some(draft("another")), ..Patch::default() } },
        Command::Edit { reference, patch: Patch { max_rounds: Some(3), ..Patch::default() } },
        Command::Pause { reference: Some(reference), when: PauseWhen::Now },
        Command::Pause { reference: Some(reference), when: PauseWhen::AfterRound },
        Command::Resume { reference },
        Command::Complete { reference },
        Command::Block { reference, code, message },
        Command::Clear { reference: Some(reference) },
        Command::Create(Box::new(Create { replaces: Some(reference), ..plain_goal(2, 9) })),
    ]
}

#[test]
fn every_change_with_a_stale_ref_is_refused_and_changes_nothing() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    session.edit(Patch { max_rounds: Some(8), ..Patch::default() }).expect("edited");
    let current = session.reference();
    let other = GoalId::from_uuid(Uuid::from_u128(77));
    for stale in [
        GoalRef { revision: Revision(1), ..current },
        GoalRef { revision: Revision(3), ..current },
        GoalRef { id: other, ..current },
    ] {
        for command in every_change(stale) {
            let from = session.log.len();
            assert_eq!(session.human(command.clone()), Err(ErrorCode::StaleRevision), "{command:?}");
            assert_eq!(session.kinds_since(from), Vec::<&str>::new());
        }
    }
    for command in [Command::Pause { reference: None, when: PauseWhen::Now }, Command::Clear { reference: None }] {
        assert_eq!(session.human(command), Err(ErrorCode::StaleRevision), "the caller saw no goal, but there is one");
    }
}

#[test]
fn an_edit_without_effect_writes_nothing() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    let from = session.log.len();
    let same = Patch { objective: Some(draft(" make the tests pass \n")), max_rounds: Some(9), criteria: Some(vec![]) };
    assert_eq!(session.edit(same), Ok(Reply::Done));
    assert_eq!(session.edit(Patch::default()), Ok(Reply::Done));
    assert_eq!(session.kinds_since(from), Vec::<&str>::new());
}

#[test]
fn an_agents_own_goal_has_no_limits_and_no_criteria_and_at_most_the_default_rounds() {
    let mut session = Session::new();
    session.say();
    session.start();
    let limits = Limits { max_tokens: Some(1), ..Limits::default() };
    for create in [
        Create { limits, ..plain_goal(2, 9) },
        Create { workspace_use: WorkspaceUse::Shared, ..plain_goal(2, 9) },
        Create { criteria: vec![criterion("c1")], ..plain_goal(2, 9) },
        plain_goal(2, DEFAULT_ROUNDS + 1),
    ] {
        assert_eq!(session.agent(Command::Create(Box::new(create))), Err(ErrorCode::NotPermitted));
        assert!(session.state.current.is_none());
    }
    assert_eq!(session.agent(Command::Create(Box::new(plain_goal(2, 9)))), Ok(Reply::Done));
    assert_eq!(session.state.current.as_ref().expect("created").goal.max_goal_rounds, 9);
}

#[test]
fn a_goal_needs_an_objective_and_at_least_one_round() {
    let mut session = Session::new();
    let blank = Create { objective: draft(" \n"), ..plain_goal(1, 9) };
    assert_eq!(session.human(Command::Create(Box::new(blank))), Err(ErrorCode::EmptyText));
    assert_eq!(session.human(Command::Create(Box::new(plain_goal(1, 0)))), Err(ErrorCode::InvalidValue));
    let mut session = Session::with_goal(plain_goal(1, 9));
    assert_eq!(session.edit(Patch { max_rounds: Some(0), ..Patch::default() }), Err(ErrorCode::InvalidValue));
}

#[test]
fn a_block_needs_a_kebab_case_code_and_words() {
    let mut session = Session::with_goal(plain_goal(1, 9));
    for (code, message, error) in [
        ("Not Kebab", "wait", ErrorCode::InvalidValue),
        ("", "wait", ErrorCode::InvalidValue),
        ("waiting", " ", ErrorCode::EmptyText),
    ] {
        let reference = session.reference();
        let block = Command::Block { reference, code: code.to_owned(), message: message.to_owned() };
        assert_eq!(session.human(block), Err(error), "{code:?} {message:?}");
    }
}
