//! How an attempt ended: intent first, then terminal event and exit status.

use super::intent::Intent;
use crate::agent::{Adapter, End, Seen, Stop};
use crate::guard::{EndStatus, SpawnFailure, SpawnFailureKind};
use goald_schema::event::{Failure, FailureKind, Outcome};

/// The outcome, and the final text that the terminal event carries, if it does.
pub fn outcome(
    intent: Option<Intent>,
    status: &EndStatus,
    adapter: Box<dyn Adapter>,
    terminal: Option<&End>,
    stderr_tail: &str,
) -> (Outcome, Option<String>) {
    match intent {
        Some(Intent::Cancel(cause)) => return (Outcome::Interrupted { cause }, None),
        Some(Intent::Timeout(bound)) => return (Outcome::Timeout { bound }, None),
        None => {}
    }
    let stop = match status {
        EndStatus::Code(code) => Stop::Code(*code),
        EndStatus::Signal(signal) => Stop::Signal(*signal),
        EndStatus::SpawnFailed(failure) => return (Outcome::Failed { failure: not_started(failure) }, None),
        EndStatus::GuardLost => return (Outcome::Lost, None),
    };
    match adapter.finish(&Seen { stop, terminal, stderr_tail }) {
        End::Completed { text } => (Outcome::Completed, text),
        End::Failed(failure) => (Outcome::Failed { failure }, None),
    }
}

fn not_started(failure: &SpawnFailure) -> Failure {
    let kind = match failure.kind {
        SpawnFailureKind::Program => FailureKind::Spawn,
        SpawnFailureKind::Folder => FailureKind::Workspace,
    };
    Failure { kind, message: failure.message.clone(), status: None, retry_after_ms: None }
}
