//! Whatever is kept in a goal's snapshot is bounded when it comes in: every status and every event carries it.

use crate::fixture::{checked_goal, criterion, plain_goal};
use crate::session::Session;
use goald_core::Command;
use goald_core::command::{Create, Patch};
use goald_schema::ErrorCode;
use goald_schema::criterion::{Check, Criterion};

fn checks(count: usize, bytes: usize) -> Vec<Criterion> {
    let one = |index| {
        let mut one = criterion(&format!("c{index}"));
        let Check::Command(command) = &mut one.check;
        command.run = "x".repeat(bytes);
        one
    };
    (1..=count).map(one).collect()
}

#[test]
fn too_many_or_too_long_checks_are_refused_at_create_and_edit() {
    for (criteria, refused) in [
        (checks(64, 1024), None),
        (checks(1, 64 * 1024), None),
        (checks(65, 1), Some(ErrorCode::TextTooLong)),
        (checks(1, 64 * 1024 + 1), Some(ErrorCode::TextTooLong)),
        (checks(2, 0), Some(ErrorCode::EmptyText)),
    ] {
        let create = Create { criteria: criteria.clone(), ..plain_goal(1, 5) };
        assert_eq!(Session::new().human(Command::Create(Box::new(create))).err(), refused);
        let mut session = Session::with_goal(checked_goal(1, 5));
        assert_eq!(session.edit(Patch { criteria: Some(criteria), ..Patch::default() }).err(), refused);
    }
}

#[test]
fn a_reason_that_is_too_long_is_refused() {
    for (bytes, refused) in [(16 * 1024, None), (16 * 1024 + 1, Some(ErrorCode::TextTooLong))] {
        let mut session = Session::with_goal(plain_goal(1, 5));
        let (reference, code) = (session.reference(), "human-reported".to_owned());
        let block = Command::Block { reference, code, message: format!(" {} ", "x".repeat(bytes)) };
        assert_eq!(session.human(block).err(), refused);
    }
}
