//! A command whose exit code decides. Runs under a guard of its own, so that nothing it starts outlives it.

use crate::agent::Tail;
use crate::attempt::environment::{Environment, of_check};
use crate::guard::{EndStatus, Guard, GuardError, LadderTimes, Launch, Pipes, Running};
use crate::process::leftover::Mark;
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

/// Whose check it is, and how it is run.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The program to be the guard.
    pub goal: &'a Path,
    /// Where the command runs.
    pub workspace: &'a Path,
    /// The environment of the session; it is scrubbed here.
    pub caller: &'a Environment,
    /// What every process of the check carries, so that it is found again without its guard.
    pub mark: Mark,
    /// Cancelled, the check is ended: interrupt, terminate, kill.
    pub cancelled: &'a CancellationToken,
}

/// Runs the check once. Returns when nothing of it is left: the result, its `output_tail` not set, and the end of what was
/// printed (at most 8 KiB). Dropping the future kills everything the check started, without waiting for its end.
pub async fn run(scene: Scene<'_>, criterion: &Criterion) -> (CriterionResult, String) {
    let Check::Command(check) = &criterion.check;
    let begun = Instant::now();
    let launch = Launch {
        program: "/bin/sh".into(),
        args: [MERGE[0], MERGE[1], MERGE[2], &check.run].map(str::to_owned).to_vec(),
        env: of_check(scene.caller, scene.mark),
        cwd: scene.workspace.to_owned(),
        stdin: Vec::new(),
        ladder: LadderTimes::default(),
        mark: scene.mark,
    };
    let (end, tail) = match start(scene.goal, launch).await {
        Ok(running) => watch(scene, running, check).await,
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
    (result, tail)
}

enum End {
    Code(i32),
    Trouble(CheckTrouble),
}

async fn start(goal: &Path, launch: Launch) -> Result<Running, GuardError> {
    Guard::spawn(goal, launch).await?.open()
}

/// To the end of its tree, reading all the while; cancelled when its time is over or nobody wants it any more.
async fn watch(scene: Scene<'_>, running: Running, check: &CommandCheck) -> (End, String) {
    let Running { stdout, stderr, control, mut tree } = running;
    let mut pipes = Pipes::new(stdout, stderr);
    let mut tail = Tail::new(TAIL);
    let mut cut = None;
    let mut due = pin!(sleep(Duration::from_millis(check.timeout_ms)));
    let ended = loop {
        tokio::select! {
            ended = tree.ended() => break ended,
            (_, bytes) = pipes.read() => tail.push(bytes),
            () = &mut due, if cut.is_none() => {
                cut = Some(CheckTrouble::TimedOut { after_ms: check.timeout_ms });
                control.cancel();
            }
            () = scene.cancelled.cancelled(), if cut.is_none() => {
                cut = Some(CheckTrouble::CannotRun { message: "it was cancelled".to_owned() });
                control.cancel();
            }
        }
    };
    let last_words = async {
        while pipes.any_open() {
            tail.push(pipes.read().await.1);
        }
    };
    // Out of patience: what is still to come is from outside the tree.
    let _elapsed = timeout(LAST_WORDS, last_words).await;
    let end = match (cut, ended.status) {
        (Some(trouble), _) => End::Trouble(trouble),
        (None, EndStatus::Code(code)) => End::Code(code),
        (None, EndStatus::Signal(signal)) => End::Trouble(CheckTrouble::Killed { signal }),
        (None, EndStatus::SpawnFailed(failure)) => End::Trouble(CheckTrouble::CannotRun { message: failure.message }),
        (None, EndStatus::GuardLost) => {
            End::Trouble(CheckTrouble::CannotRun { message: "the process that held it was killed".to_owned() })
        }
    };
    (end, tail.text())
}
