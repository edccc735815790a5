//! Every role × operation × phase × activation against the literal table beside this file. A missing or surplus row or
//! column fails, and so does a combination that the table calls impossible and a history reaches.

use crate::fixture::{BLOCKED_FROM, blob, blocked_claim, complete_claim, draft, opened, plain_goal};
use crate::session::Session;
use goald_core::Command;
use goald_core::authority::{Role, permits};
use goald_core::command::{Create, Patch, SayWhen};
use goald_core::live::Signal;
use goald_schema::actor::{Actor, OtherWhy};
use goald_schema::event::{CancelCause, Operation, Outcome};
use goald_schema::goal::GoalRef;
use goald_schema::id::{GoalId, MessageId};
use goald_schema::number::Revision;
use goald_schema::protocol::pause::PauseWhen;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

const TABLE: &str = include_str!("table.txt");
const ROLES: [&str; 7] = ["human", "agent-message", "agent-round", "driver", "verifier", "policy", "other"];
const PHASES: [&str; 5] = ["none", "active", "paused", "blocked", "complete"];
const ACTIVATIONS: [&str; 2] = ["armed", "disarmed"];
const OPERATIONS: [&str; 15] = [
    "create",
    "replace",
    "edit-objective",
    "edit-other",
    "pause",
    "pause-after-round",
    "resume",
    "complete",
    "block",
    "clear",
    "claim-complete",
    "claim-blocked",
    "say",
    "say-now",
    "stop-daemon",
];

/// (role, operation, phase/activation) → cell.
type Table = BTreeMap<(String, String, String), String>;

fn read() -> Table {
    let mut table = Table::new();
    let (mut role, mut columns) = (String::new(), Vec::new());
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["role", name] => (*name).clone_into(&mut role),
            ["operation", rest @ ..] => columns = rest.to_vec(),
            [operation, cells @ ..] => {
                assert_eq!(cells.len(), columns.len(), "{role} {operation}");
                for (column, cell) in columns.iter().zip(cells) {
                    let key = (role.clone(), (*operation).to_owned(), (*column).to_owned());
                    assert_eq!(table.insert(key.clone(), (*cell).to_owned()), None, "{key:?} stands twice");
                }
            }
            [] => {}
        }
    }
    table
}

/// The full product, and for each the state that the command meets.
fn product() -> BTreeSet<(String, String, String)> {
    let mut product = BTreeSet::new();
    for role in ROLES {
        for operation in OPERATIONS {
            for phase in PHASES {
                for activation in ACTIVATIONS {
                    product.insert((role.to_owned(), operation.to_owned(), format!("{phase}/{activation}")));
                }
            }
        }
    }
    product
}

fn representable(column: &str) -> bool {
    column == "active/armed" || column.ends_with("/disarmed")
}

/// Phase and activation as they are.
fn stands(session: &Session) -> String {
    let phase = session.state.current.as_ref().map_or("none", |current| current.goal.phase.name().as_str());
    let activation = if session.live.is_armed() { "armed" } else { "disarmed" };
    format!("{phase}/{activation}")
}

/// A goal in this phase and activation, or none.
fn prepared(column: &str) -> Session {
    let mut session = if column == "none/disarmed" { Session::new() } else { Session::with_goal(plain_goal(1, 99)) };
    move_to(&mut session, column);
    session
}

fn move_to(session: &mut Session, column: &str) {
    match column {
        "none/disarmed" if session.state.current.is_none() => {}
        "none/disarmed" => assert!(session.clear().is_ok()),
        "active/armed" => {}
        "active/disarmed" => session.live.signal(Signal::Disarm(CancelCause::StoreFailed)),
        "paused/disarmed" => assert!(session.pause().is_ok()),
        "blocked/disarmed" => assert!(session.block().is_ok()),
        "complete/disarmed" => assert!(session.complete().is_ok()),
        other => panic!("{other} cannot be made"),
    }
    assert_eq!(stands(session), column);
}

/// The session in this column, and the actor that has this role in it.
fn setting(role: &str, column: &str) -> (Session, Actor) {
    match role {
        "agent-message" => {
            let mut session = prepared(column);
            session.say();
            session.start();
            let actor = session.agent_actor();
            assert_eq!(stands(&session), column);
            (session, actor)
        }
        "agent-round" => {
            let mut session = Session::with_goal(plain_goal(1, 99));
            for _ in 1..BLOCKED_FROM {
                session.start();
                session.end(Outcome::Completed);
            }
            session.start();
            let actor = session.agent_actor();
            move_to(&mut session, column);
            (session, actor)
        }
        "human" => (prepared(column), Actor::Human),
        "driver" => (prepared(column), Actor::Driver),
        "verifier" => (prepared(column), Actor::Verifier),
        "policy" => (prepared(column), Actor::Policy),
        "other" => (prepared(column), Actor::Other { why: OtherWhy::UnknownOrigin }),
        unknown => panic!("no role {unknown}"),
    }
}

fn command(operation: &str, seen: Option<GoalRef>) -> Command {
    // Where there is no goal, whoever asks has seen one that is gone.
    let reference = seen.unwrap_or(GoalRef { id: GoalId::from_uuid(Uuid::from_u128(77)), revision: Revision(3) });
    let create = |replaces| Command::Create(Box::new(Create { replaces, max_rounds: None, ..plain_goal(2, 1) }));
    let edit = |patch| Command::Edit { reference, patch };
    match operation {
        "create" => create(None),
        "replace" => create(Some(reference)),
        "edit-objective" => edit(Patch { objective: Some(draft("another")), ..Patch::default() }),
        "edit-other" => edit(Patch { max_rounds: Some(5), ..Patch::default() }),
        "pause" => Command::Pause { reference: seen, when: PauseWhen::Now },
        "pause-after-round" => Command::Pause { reference: seen, when: PauseWhen::AfterRound },
        "resume" => Command::Resume { reference },
        "complete" => Command::Complete { reference },
        "block" => Command::Block { reference, code: "human-reported".to_owned(), message: "wait".to_owned() },
        "clear" => Command::Clear { reference: seen },
        "claim-complete" => Command::Claim { reference: None, claim: complete_claim() },
        "claim-blocked" => Command::Claim { reference: None, claim: blocked_claim() },
        "say" | "say-now" => {
            let message = MessageId::from_uuid(Uuid::from_u128(5));
            let when = if operation == "say" { SayWhen::Next } else { SayWhen::Now };
            Command::Say { message, text: blob(), when, open: opened() }
        }
        unknown => panic!("no operation {unknown}"),
    }
}

fn outcome(role: &str, operation: &str, column: &str) -> String {
    let (mut session, actor) = setting(role, column);
    if operation == "stop-daemon" {
        let role: Role = goald_core::authority::role(&session.state, &actor);
        let permitted = permits(role, Operation::StopDaemon).is_ok();
        return if permitted { "permitted" } else { "not-permitted" }.to_owned();
    }
    let seen = session.state.current.as_ref().map(|current| current.goal.reference());
    let (before, events) = (session.state.clone(), session.log.len());
    match session.ask(&actor, command(operation, seen)) {
        Ok(_) if session.log.len() == events => "same".to_owned(),
        Ok(_) => stands(&session),
        Err(code) => {
            assert_eq!(stands(&session), column, "a refusal changes nothing");
            assert_eq!(session.state.current, before.current, "a refusal changes nothing");
            assert_eq!(session.state.attempt, before.attempt, "a refusal changes nothing");
            code.as_str().to_owned()
        }
    }
}

#[test]
fn the_table_has_every_combination_and_no_other() {
    let table: BTreeSet<_> = read().into_keys().collect();
    let product = product();
    assert_eq!(product.difference(&table).collect::<Vec<_>>(), Vec::<&(String, String, String)>::new(), "missing");
    assert_eq!(table.difference(&product).collect::<Vec<_>>(), Vec::<&(String, String, String)>::new(), "surplus");
    let operations = Operation::ALL.iter().map(|operation| operation.as_str());
    assert!(operations.into_iter().all(|operation| OPERATIONS.contains(&operation)), "an operation has no row");
}

#[test]
fn every_role_operation_phase_and_activation_comes_out_as_the_table_says() {
    let mut wrong = Vec::new();
    for ((role, operation, column), expected) in read() {
        if !representable(&column) {
            assert_eq!(expected, "-", "{role} {operation} {column} cannot be");
            continue;
        }
        let found = outcome(&role, &operation, &column);
        if found != expected {
            wrong.push(format!("{role} {operation} {column}: {found}, the table says {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} cells:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every history of four operations over a goal that runs.
#[test]
fn no_history_arms_anything_but_an_active_goal_and_every_other_combination_is_reached() {
    let moves: [fn(&mut Session); 10] = [
        |s| either(s.human(Command::Create(Box::new(plain_goal(u128::from(s.state.seq.get()) + 10, 2))))),
        |s| either(s.pause()),
        |s| either(s.state.current.is_some().then(|| s.pause_after_round())),
        |s| either(s.state.current.is_some().then(|| s.resume())),
        |s| either(s.state.current.is_some().then(|| s.complete())),
        |s| either(s.state.current.is_some().then(|| s.block())),
        |s| either(s.clear()),
        Session::restart,
        |s| {
            s.say();
        },
        run_something,
    ];
    let mut reached = BTreeSet::new();
    let count = moves.len();
    for history in 0..count.pow(4) {
        let mut session = Session::with_goal(plain_goal(1, 2));
        for place in 0..4 {
            moves[history / count.pow(place) % count](&mut session);
            let stands = stands(&session);
            assert!(representable(&stands), "{stands} is reached");
            reached.insert(stands);
        }
    }
    let all: BTreeSet<String> = product().into_iter().map(|(_, _, column)| column).collect();
    assert_eq!(reached, all.into_iter().filter(|column| representable(column)).collect());
}

/// Accepted or refused: what counts is how things stand afterwards.
fn either<T>(_answer: T) {}

/// Whatever is next: a start, an end, a check.
fn run_something(session: &mut Session) {
    if session.state.attempt.is_some() {
        return session.end(Outcome::Completed);
    }
    let step = session.settle();
    if session.started(&step).is_some() {
        session.start();
    }
}
