//! A command whose exit code decides. Runs under a guard of its own, so that nothing it starts outlives it.

use crate::agent::Tail;
use crate::attempt::environment::{Environment, of_check};
use crate::guard::{EndStatus, Guard, GuardError, LadderTimes, Launch, Pipes, Running};
use futures_util::FutureExt;
use goald_schema::criterion::{Check, CheckTrouble, CommandCheck, Criterion, CriterionResult};
use std::path::Path;
use std::pin::pin;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Arguments of the outer shell. It merges the two streams, so that the end of the output is the end: read from two pipes,
/// an error message could be pushed out by what was printed before it.
const MERGE: [&str; 3] = ["-c", "exec /bin/sh -c \"$1\" 2>&1", "sh"];
/// How much of the output is kept, in bytes: its end.
const TAIL: usize = 8 << 10;
/// How long the end of the output is waited for when the tree has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Runs the check once in the workspace. Returns the result, its `output_tail` not set, and the end of what was printed
/// (at most 8 KiB). Nothing once `cancel` is cancelled: the check goes down the ladder as an attempt does, and this returns
/// when nothing of it is left. Dropping the future kills everything the check started, and waits for nothing.
///
/// `goal` is the program to be the guard, `caller` the environment of the session, which is scrubbed here.
pub async fn run(
    goal: &Path,
    criterion: &Criterion,
    workspace: &Path,
    caller: &Environment,
    cancel: &CancellationToken,
) -> Option<(CriterionResult, String)> {
    let Check::Command(check) = &criterion.check;
    let begun = Instant::now();
    let launch = Launch {
        program: "/bin/sh".into(),
        args: [MERGE[0], MERGE[1], MERGE[2], &check.run].map(str::to_owned).to_vec(),
        env: of_check(caller),
        cwd: workspace.to_owned(),
        stdin: Vec::new(),
        ladder: LadderTimes::default(),
    };
    // Given up at the gate, nothing of it has run.
    let started = cancel.run_until_cancelled(start(goal, launch)).await?;
    let (end, tail) = match started {
        Ok(running) => watch(running, check, cancel).await?,
        Err(error) => (End::Trouble(CheckTrouble::CannotRun { message: error.to_string() }), String::new()),
    };
    let (exit_code, trouble) = match end {
        End::Code(code) => (Some(code), None),
        End::Trouble(trouble) => (None, Some(trouble)),
    };
    let result = CriterionResult {
        criterion: criterion.id.clone(),
        met: exit_code == Some(check.exit_code),
        exit_code,
        trouble,
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        output_tail: None,
    };
    Some((result, tail))
}

enum End {
    Code(i32),
    Trouble(CheckTrouble),
}

async fn start(goal: &Path, launch: Launch) -> Result<Running, GuardError> {
    Guard::spawn(goal, launch).await?.open()
}

/// To the end of its tree, reading all the while; cancelled when its time is over. Nothing if nobody wants it any more.
async fn watch(running: Running, check: &CommandCheck, cancel: &CancellationToken) -> Option<(End, String)> {
    let Running { stdout, stderr, control, mut tree } = running;
    let mut pipes = Pipes::new(stdout, stderr);
    let mut tail = Tail::new(TAIL);
    let mut timed_out = None;
    let mut unwanted = pin!(cancel.cancelled().fuse());
    let mut due = pin!(sleep(Duration::from_millis(check.timeout_ms)));
    let ended = loop {
        tokio::select! {
            ended = tree.ended() => break ended,
            (_, bytes) = pipes.read() => tail.push(bytes),
            () = &mut due, if timed_out.is_none() => {
                timed_out = Some(CheckTrouble::TimedOut { after_ms: check.timeout_ms });
                control.cancel();
            }
            () = &mut unwanted => control.cancel(),
        }
    };
    if cancel.is_cancelled() {
        return None;
    }
    let last_words = async {
        while pipes.any_open() {
            tail.push(pipes.read().await.1);
        }
    };
    // Out of patience: what is still to come is from outside the tree.
    let _elapsed = timeout(LAST_WORDS, last_words).await;
    let end = match (timed_out, ended.status) {
        (Some(trouble), _) => End::Trouble(trouble),
        (None, EndStatus::Code(code)) => End::Code(code),
        (None, EndStatus::Signal(signal)) => End::Trouble(CheckTrouble::Killed { signal }),
        (None, EndStatus::SpawnFailed(failure)) => End::Trouble(CheckTrouble::CannotRun { message: failure.message }),
        (None, EndStatus::GuardLost) => {
            End::Trouble(CheckTrouble::CannotRun { message: "the process that held it was killed".to_owned() })
        }
    };
    Some((end, tail.text()))
}
