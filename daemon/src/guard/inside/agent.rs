//! Starting the agent's program.

use super::prompt::Prompt;
use crate::guard::status::{SpawnFailure, SpawnFailureKind};
use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, kill, signal, sigprocmask};
use nix::unistd::{Pid, getpid, getppid, setsid};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to start.
pub struct Program {
    pub path: PathBuf,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub cwd: PathBuf,
}

/// The agent's own process, and the prompt on its way to it.
pub struct Agent {
    pid: Pid,
    pub prompt: Prompt,
}

impl Agent {
    /// Starts it, with the guard's standard output and error as its own.
    pub fn start(program: &Program, stdin: Vec<u8>) -> Result<Self, SpawnFailure> {
        let failure = |kind, path: &Path, error: io::Error| {
            let message = format!("{}: {error}", path.display());
            SpawnFailure { kind, message }
        };
        // Entered here: by the child's error a folder that cannot be entered and a program that cannot be started look alike.
        std::env::set_current_dir(&program.cwd)
            .map_err(|error| failure(SpawnFailureKind::Folder, &program.cwd, error))?;
        let at_program = |error| failure(SpawnFailureKind::Program, &program.path, error);
        let (prompt, reader) = Prompt::new(stdin).map_err(at_program)?;
        let mut command = Command::new(&program.path);
        command.args(&program.args).env_clear().envs(&program.env).stdin(reader);
        let guard = getpid();
        let prepare = move || prepare(guard);
        #[expect(unsafe_code, reason = "the guard has one thread; the closure only makes system calls")]
        // SAFETY: nothing in the closure allocates or takes a lock, and no other thread exists that could hold one.
        unsafe {
            command.pre_exec(prepare);
        }
        let child = command.spawn();
        // Nobody's folder is kept in use by the guard.
        std::env::set_current_dir("/").map_err(at_program)?;
        let child = child.map_err(at_program)?;
        let pid = i32::try_from(child.id()).map(Pid::from_raw).map_err(|error| at_program(io::Error::other(error)))?;
        Ok(Self { pid, prompt })
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.pid.as_raw().unsigned_abs()
    }

    /// Interrupts its process group, as a terminal would. Only while it is not reaped.
    pub fn interrupt(&self) {
        // It leads its group by `setsid`; an error means that nothing of the group is left.
        let _gone = kill(Pid::from_raw(-self.pid.as_raw()), Signal::SIGINT);
    }
}

/// In the new process, before the program: a session of its own, death with the guard, and signals as a program expects
/// them (whoever started the daemon may have ignored some, and the guard blocks all).
fn prepare(guard: Pid) -> io::Result<()> {
    setsid()?;
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    if getppid() != guard {
        // The guard died before the line above: no signal will come for that.
        return Err(Errno::ESRCH.into());
    }
    for number in Signal::iterator().filter(|number| !matches!(number, Signal::SIGKILL | Signal::SIGSTOP)) {
        #[expect(unsafe_code, reason = "resets to the default; no handler of ours is installed")]
        // SAFETY: the default disposition runs no code of this process.
        unsafe {
            signal(number, SigHandler::SigDfl)?;
        }
    }
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;
    Ok(())
}
