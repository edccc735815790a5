//! The daemon's side: starting a guard, opening its gate, waiting for the end of its tree.

use super::ARGUMENT;
use super::error::GuardError;
use super::launch::{LadderTimes, Launch};
use super::pump::{Control, Held, pump};
use super::status::Ended;
use super::wire::{self, Frames, FromGuard, ToGuard, VERSION};
use crate::process::leftover::Mark;
use goald_schema::event::GuardProcess;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::{ChildStderr, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

/// A guard that holds a launch and waits at the gate. Nothing of the launch runs yet. Dropping it ends the guard.
#[derive(Debug)]
pub struct Guard {
    process: GuardProcess,
    mark: Mark,
    ladder: LadderTimes,
    lifeline: UnixStream,
    frames: Frames,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

impl Guard {
    /// Starts `goal guard` and hands it the launch. Returns when the guard waits at its gate.
    pub async fn spawn(goal: &Path, launch: Launch) -> Result<Self, GuardError> {
        let (mut lifeline, far_end) = UnixStream::pair()?;
        let far_end = far_end.into_std()?;
        far_end.set_nonblocking(false)?;
        // A group of its own keeps a terminal's Ctrl-C from it; no code runs between fork and exec.
        let mut command = Command::new(goal);
        // Whatever path led to it, lists of processes show what it is.
        command.arg0("goal");
        command.arg(ARGUMENT).env_clear().process_group(0);
        command.stdin(OwnedFd::from(far_end)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = |source| GuardError::Start { program: goal.to_owned(), source };
        let mut child = command.spawn().map_err(start)?;
        // The command still holds the far end: while it does, the guard's death would not be seen as an end of file.
        drop(command);
        let pipes = child.stdout.take().zip(child.stderr.take());
        // Whatever becomes of the rest, the guard is reaped.
        tokio::spawn(async move { child.wait().await });
        let (stdout, stderr) = pipes.ok_or_else(|| start(io::Error::other("its output is not connected")))?;

        let (mark, ladder) = (launch.mark, launch.ladder);
        send_launch(&mut lifeline, launch).await.map_err(gone)?;
        let mut frames = Frames::default();
        let process = receive_ready(&mut lifeline, &mut frames).await?;
        Ok(Self { process, mark, ladder, lifeline, frames, stdout, stderr })
    }

    /// Who the guard is, for the record that must be durable before the gate opens.
    pub fn process(&self) -> &GuardProcess {
        &self.process
    }

    /// Opens the gate: the program starts.
    ///
    /// # Errors
    /// [`GuardError::Gone`] if the guard died meanwhile. Nothing was started then.
    pub fn open(self) -> Result<Running, GuardError> {
        let open = wire::message(&ToGuard::Open)?;
        // The guard has read all that was sent, so these few bytes fit at once.
        let written = nix::unistd::write(&self.lifeline, &open).map_err(|errno| gone(errno.into()))?;
        if written != open.len() {
            return Err(GuardError::Gone);
        }
        let (orders, to_send) = mpsc::unbounded_channel();
        let (report, end) = watch::channel(None);
        let held = Held { mark: self.mark, guard: self.process, ladder: self.ladder };
        let task = tokio::spawn(pump(held, self.lifeline, self.frames, to_send, report));
        let control = Control::new(orders, end.clone());
        let tree = Tree { end, _lifeline: AbortOnDropHandle::new(task) };
        Ok(Running { stdout: self.stdout, stderr: self.stderr, control, tree })
    }
}

/// A tree that runs. Dropping it closes the lifeline: the guard kills the tree at once.
#[derive(Debug)]
pub struct Running {
    /// What the tree prints. Its end of file comes when nothing of the tree is left.
    pub stdout: ChildStdout,
    /// The same for standard error.
    pub stderr: ChildStderr,
    /// Fencing and cancelling. Holding a copy does not keep the tree alive.
    pub control: Control,
    /// The lifeline itself: the tree lives as long as this.
    pub tree: Tree,
}

impl Running {
    /// Waits until nothing of the tree is left. May be dropped and called again.
    pub async fn ended(&mut self) -> Ended {
        self.tree.ended().await
    }
}

/// The lifeline of a tree. Dropping it kills the tree.
#[derive(Debug)]
pub struct Tree {
    end: watch::Receiver<Option<Ended>>,
    _lifeline: AbortOnDropHandle<()>,
}

impl Tree {
    /// Waits until nothing of the tree is left. May be dropped and called again.
    pub async fn ended(&mut self) -> Ended {
        match self.end.wait_for(Option::is_some).await {
            Ok(end) => end.clone().unwrap_or(Ended::LOST),
            Err(_) => Ended::LOST,
        }
    }
}

async fn send_launch(lifeline: &mut UnixStream, launch: Launch) -> io::Result<()> {
    let Launch { program, args, env, cwd, stdin, ladder, mark: _ } = launch;
    let head = wire::message(&ToGuard::Launch { version: VERSION, program, args, env, cwd, ladder })?;
    lifeline.write_all(&head).await?;
    lifeline.write_all(&wire::frame(&stdin)?).await
}

async fn receive_ready(lifeline: &mut UnixStream, frames: &mut Frames) -> Result<GuardProcess, GuardError> {
    let protocol = |error: io::Error| GuardError::Protocol(error.to_string());
    let mut bytes = [0; 4096];
    loop {
        match frames.next_message().map_err(protocol)? {
            Some(FromGuard::Ready { version: VERSION, process }) => return Ok(process),
            Some(FromGuard::Ready { version, .. }) => {
                return Err(GuardError::Protocol(format!("version {version} instead of {VERSION}")));
            }
            Some(_) => return Err(GuardError::Protocol("a message before its time".to_owned())),
            None => {}
        }
        match lifeline.read(&mut bytes).await.map_err(gone)? {
            0 => return Err(GuardError::Gone),
            count => frames.push(&bytes[..count]),
        }
    }
}

/// A broken connection means that the other end is gone; anything else is a trouble of its own.
fn gone(error: io::Error) -> GuardError {
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => GuardError::Gone,
        _ => GuardError::Socket(error),
    }
}
