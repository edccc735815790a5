//! Values that every test needs: a profile, thresholds, a goal to create, outcomes of attempts and checks.

use goald_core::command::Create;
use goald_core::objective::{Draft, Source};
use goald_schema::Timestamp;
use goald_schema::agent::{Adapter, AgentProfile, OutputFormat};
use goald_schema::criterion::{Check, CheckTrouble, CommandCheck, Criterion, CriterionId, CriterionResult};
use goald_schema::event::{Claim, Failure, FailureKind, GuardProcess, Outcome, SessionOpened};
use goald_schema::goal::{AfterRestart, Limits, Policy, WorkspaceUse};
use goald_schema::id::{BlobHash, GoalId};
use uuid::Uuid;

/// How often a round or message turn is tried in these tests.
pub const MAX_ATTEMPTS: u32 = 3;
/// From which round on a goal can be reported blocked in these tests.
pub const BLOCKED_FROM: u32 = 3;
/// The first back-off, in milliseconds.
pub const RETRY_MS: u64 = 1_000;
/// The configuration's bound on rounds.
pub const DEFAULT_ROUNDS: u32 = 256;

pub fn policy() -> Policy {
    Policy {
        blocked_after_consecutive_rounds: BLOCKED_FROM,
        max_attempts: MAX_ATTEMPTS,
        retry_base_ms: RETRY_MS,
        round_timeout_ms: 7_200_000,
        idle_timeout_ms: 1_800_000,
        after_restart: AfterRestart::Ask,
        workspace_use: WorkspaceUse::Alone,
    }
}

pub fn opened() -> SessionOpened {
    let adapter = Adapter::Command { program: "/bin/agent".to_owned(), args: Vec::new(), output: OutputFormat::Text };
    let profile = AgentProfile { name: "agent".to_owned(), adapter };
    SessionOpened { workspace: "/home/u/project".to_owned(), name: "main".to_owned(), profile }
}

pub fn wall(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).expect("in range")
}

pub fn blob() -> BlobHash {
    BlobHash::from_bytes(&[7; 32])
}

pub fn guard() -> GuardProcess {
    GuardProcess { pid: 4_242, start_ticks: 1, boot_id: "boot".to_owned() }
}

pub fn draft(text: &str) -> Draft {
    Draft { text: text.to_owned(), source: Source::Inline, blob: None }
}

/// A goal without criteria, with the bound on rounds given.
pub fn plain_goal(id: u128, max_rounds: u32) -> Create {
    Create {
        id: GoalId::from_uuid(Uuid::from_u128(id)),
        open: opened(),
        objective: draft("make the tests pass"),
        max_rounds: Some(max_rounds),
        criteria: Vec::new(),
        limits: Limits::default(),
        workspace_use: WorkspaceUse::Alone,
        replaces: None,
    }
}

/// The same with one check.
pub fn checked_goal(id: u128, max_rounds: u32) -> Create {
    Create { criteria: vec![criterion("c1")], ..plain_goal(id, max_rounds) }
}

pub fn criterion(id: &str) -> Criterion {
    let check = CommandCheck { run: "make test".to_owned(), exit_code: 0, timeout_ms: 1_000 };
    Criterion { id: CriterionId(id.to_owned()), check: Check::Command(check) }
}

pub fn result(id: &str, met: bool) -> CriterionResult {
    CriterionResult {
        criterion: CriterionId(id.to_owned()),
        met,
        exit_code: Some(i32::from(!met)),
        trouble: None,
        duration_ms: 1,
        output_tail: None,
    }
}

/// A check whose program could not be started.
pub fn broken(id: &str) -> CriterionResult {
    let trouble = Some(CheckTrouble::CannotRun { message: "no such program".to_owned() });
    CriterionResult { exit_code: None, trouble, ..result(id, false) }
}

pub fn complete_claim() -> Claim {
    Claim::Complete { summary: "all tests pass".to_owned(), artifacts: Vec::new(), unverified: Vec::new() }
}

pub fn blocked_claim() -> Claim {
    Claim::Blocked { reason: "the server is gone".to_owned() }
}

pub fn failed(kind: FailureKind) -> Outcome {
    let failure = Failure { kind, message: "it said no".to_owned(), status: None, retry_after_ms: None };
    Outcome::Failed { failure }
}
