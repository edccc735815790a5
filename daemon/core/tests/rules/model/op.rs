//! What can happen next in a random history.

use crate::fixture::DEFAULT_ROUNDS;
use goald_schema::goal::WorkspaceUse;
use proptest::prelude::*;

/// Who asks for something.
#[derive(Clone, Copy, Debug)]
pub enum Who {
    Human,
    /// The open attempt's agent, or a dead token where none is open.
    Agent,
    /// An agent whose attempt is over.
    DeadAgent,
    Policy,
    Other,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Ask {
    Create { rounds: u32, criteria: usize, replace: bool, workspace_use: WorkspaceUse },
    EditObjective,
    EditRounds(u32),
    EditCriteria(usize),
    Pause,
    PauseAfterRound,
    Resume,
    Complete,
    Block,
    Clear,
    ClaimComplete,
    ClaimBlocked,
    Say,
    SayNow,
}

/// How fresh the ref is that a command carries.
#[derive(Clone, Copy, Debug)]
pub enum Seen {
    Current,
    Older,
    Newer,
    OtherGoal,
    Nothing,
}

/// How an attempt or a check ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Well,
    Transient,
    ContextFull,
    ForGood,
    OutputLimit,
    Timeout,
    Lost,
    /// As the daemon wanted, if it wanted it to end.
    Cut,
}

/// One thing that happens.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Ask(Who, Ask, Seen),
    /// The shell takes the step that is asked for.
    Step,
    /// The shell takes this many.
    Steps(u8),
    /// What was prepared for an earlier step is reported all the same.
    LateStart,
    /// A check that was given up reports all the same.
    LateCheck,
    EndAttempt(End),
    EndCheck {
        met: bool,
        broken: bool,
    },
    CheckGone,
    /// The running prompt never came to be.
    CannotStart,
    /// Both clocks move, the wall clock as it likes.
    Time {
        mono: u64,
        wall: i64,
    },
    Restart,
    StopDaemon,
    DiskFull,
}

/// Somebody asks for anything at all.
fn anybody() -> impl Strategy<Value = (Who, Ask)> {
    let who = prop_oneof![
        12 => Just(Who::Human),
        4 => Just(Who::Agent),
        1 => Just(Who::DeadAgent),
        1 => Just(Who::Policy),
        1 => Just(Who::Other),
    ];
    (who, ask())
}

/// An agent does what agents do.
fn agent() -> impl Strategy<Value = (Who, Ask)> {
    let ask = prop_oneof![
        8 => Just(Ask::ClaimComplete),
        4 => Just(Ask::ClaimBlocked),
        1 => Just(Ask::Resume),
        1 => Just(Ask::Pause),
        1 => Just(Ask::EditObjective),
        1 => create(),
        1 => Just(Ask::Create { rounds: DEFAULT_ROUNDS + 1, criteria: 0, replace: false, workspace_use: WorkspaceUse::Alone }),
    ];
    (Just(Who::Agent), ask)
}

/// A goal with up to four rounds and two checks.
fn create() -> impl Strategy<Value = Ask> {
    let workspace_use = prop_oneof![3 => Just(WorkspaceUse::Alone), 1 => Just(WorkspaceUse::Shared)];
    (1..5_u32, 0..3_usize, any::<bool>(), workspace_use)
        .prop_map(|(rounds, criteria, replace, workspace_use)| Ask::Create { rounds, criteria, replace, workspace_use })
}

fn ask() -> impl Strategy<Value = Ask> {
    prop_oneof![
        3 => create(),
        2 => Just(Ask::EditObjective),
        1 => (1..6_u32).prop_map(Ask::EditRounds),
        1 => (0..3_usize).prop_map(Ask::EditCriteria),
        2 => Just(Ask::Pause),
        3 => Just(Ask::PauseAfterRound),
        6 => Just(Ask::Resume),
        1 => Just(Ask::Complete),
        1 => Just(Ask::Block),
        1 => Just(Ask::Clear),
        1 => Just(Ask::ClaimComplete),
        1 => Just(Ask::ClaimBlocked),
        4 => Just(Ask::Say),
        3 => Just(Ask::SayNow),
    ]
}

fn seen() -> impl Strategy<Value = Seen> {
    prop_oneof![
        16 => Just(Seen::Current),
        1 => Just(Seen::Older),
        1 => Just(Seen::Newer),
        1 => Just(Seen::OtherGoal),
        1 => Just(Seen::Nothing),
    ]
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![
        8 => Just(End::Well),
        4 => Just(End::Transient),
        1 => Just(End::ContextFull),
        1 => Just(End::ForGood),
        1 => Just(End::OutputLimit),
        1 => Just(End::Timeout),
        1 => Just(End::Lost),
        6 => Just(End::Cut),
    ]
}

/// A history: mostly one that begins with a goal.
pub fn history() -> impl Strategy<Value = Vec<Op>> {
    let begin = create().prop_map(|ask| Op::Ask(Who::Human, ask, Seen::Nothing));
    (prop::option::weighted(0.9, begin), prop::collection::vec(op(), 1..120))
        .prop_map(|(begin, rest)| begin.into_iter().chain(rest).collect())
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        10 => (anybody(), seen()).prop_map(|((who, ask), seen)| Op::Ask(who, ask, seen)),
        8 => (agent(), seen()).prop_map(|((who, ask), seen)| Op::Ask(who, ask, seen)),
        6 => Just(Op::Step),
        10 => (2..6_u8).prop_map(Op::Steps),
        1 => Just(Op::LateStart),
        1 => Just(Op::LateCheck),
        6 => end().prop_map(Op::EndAttempt),
        4 => (any::<bool>(), prop::bool::weighted(0.1)).prop_map(|(met, broken)| Op::EndCheck { met, broken }),
        1 => Just(Op::CheckGone),
        1 => Just(Op::CannotStart),
        2 => (0..100_000_u64, -100_000..200_000_i64).prop_map(|(mono, wall)| Op::Time { mono, wall }),
        1 => Just(Op::Restart),
        1 => prop_oneof![1 => Just(Op::StopDaemon), 2 => Just(Op::DiskFull)],
    ]
}
