//! A command whose exit code decides, under a guard of its own, in place: a test run must be able to write its build
//! folder.

use crate::agent::Tail;
use crate::config::millis;
use crate::guard::{EndStatus, Guard, LadderTimes, Launch, Running};
use goald_schema::criterion::{Check, CheckTrouble, CommandCheck, Criterion, CriterionResult};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::Instant;

/// How much of what a check prints is kept, in bytes.
const TAIL: usize = 8 * 1024;
/// What runs the command line.
const SHELL: &str = "/bin/sh";

/// Checks one criterion: its result, and the end of what it printed. Dropping the future ends the whole tree.
pub async fn run(
    goal: &Path,
    criterion: &Criterion,
    workspace: &Path,
    environment: &BTreeMap<String, String>,
) -> (CriterionResult, String) {
    let Check::Command(command) = &criterion.check;
    let began = Instant::now();
    let mut tail = Tail::new(TAIL);
    let status = match start(goal, command, workspace, environment).await {
        Ok(running) => end(running, command, &mut tail).await,
        Err(message) => Err(CheckTrouble::CannotRun { message }),
    };
    let (exit_code, trouble) = match status {
        Ok(code) => (Some(code), None),
        Err(trouble) => (None, Some(trouble)),
    };
    let result = CriterionResult {
        criterion: criterion.id.clone(),
        met: exit_code == Some(command.exit_code),
        exit_code,
        trouble,
        duration_ms: millis(began.elapsed()),
        output_tail: None,
    };
    (result, tail.text())
}

async fn start(
    goal: &Path,
    command: &CommandCheck,
    workspace: &Path,
    environment: &BTreeMap<String, String>,
) -> Result<Running, String> {
    let launch = Launch {
        program: PathBuf::from(SHELL),
        args: vec!["-c".to_owned(), command.run.clone()],
        env: environment.clone(),
        cwd: workspace.to_owned(),
        stdin: Vec::new(),
        ladder: LadderTimes::default(),
    };
    let guard = Guard::spawn(goal, launch).await.map_err(|error| error.to_string())?;
    guard.open().map_err(|error| error.to_string())
}

/// The exit code, or why there is none. A check that takes too long is killed at once: it has nothing to tidy up.
async fn end(mut running: Running, command: &CommandCheck, tail: &mut Tail) -> Result<i32, CheckTrouble> {
    let deadline = Instant::now() + Duration::from_millis(command.timeout_ms);
    let read = read(&mut running, tail);
    let Ok(status) = tokio::time::timeout_at(deadline, read).await else {
        // Dropping the tree closes its lifeline.
        return Err(CheckTrouble::TimedOut { after_ms: command.timeout_ms });
    };
    match status {
        EndStatus::Code(code) => Ok(code),
        EndStatus::Signal(signal) => Err(CheckTrouble::Killed { signal }),
        EndStatus::SpawnFailed(failure) => Err(CheckTrouble::CannotRun { message: failure.message }),
        EndStatus::GuardLost => {
            Err(CheckTrouble::CannotRun { message: "the process that held the check was lost".to_owned() })
        }
    }
}

async fn read(running: &mut Running, tail: &mut Tail) -> EndStatus {
    let (mut out, mut err) = (vec![0_u8; 16 * 1024], vec![0_u8; 16 * 1024]);
    let (mut out_open, mut err_open) = (true, true);
    while out_open || err_open {
        tokio::select! {
            count = running.stdout.read(&mut out), if out_open => {
                let count = count.unwrap_or(0);
                tail.push(out.get(..count).unwrap_or_default());
                out_open = count > 0;
            }
            count = running.stderr.read(&mut err), if err_open => {
                let count = count.unwrap_or(0);
                tail.push(err.get(..count).unwrap_or_default());
                err_open = count > 0;
            }
        }
    }
    running.ended().await.status
}
