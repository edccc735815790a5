//! The guard's life up to the start of the agent: take the launch, wait at the gate, start.

use super::agent::{Agent, Program};
use super::control::Control;
use super::descriptors::{close_inherited_to_children, take_stdin};
use super::held::Held;
use crate::crash::{self, Place};
use crate::guard::launch::LadderTimes;
use crate::guard::status::{EndStatus, Ended, SpawnFailure};
use crate::guard::wire::{FromGuard, ToGuard, VERSION};
use crate::process;
use goald_schema::event::Delivered;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd;
use std::fs::File;
use std::io;

/// Runs until nothing is left to hold.
///
/// # Errors
/// The daemon is gone or talks nonsense. The tree is gone by then as well.
pub fn serve() -> io::Result<()> {
    let mut control = Control::new(take_stdin()?);
    close_inherited_to_children()?;
    // All signals: what a terminal or a careless `kill` sends here must not end the guard before its tree.
    SigSet::all().thread_block()?;
    let mut child_signal = SigSet::empty();
    child_signal.add(Signal::SIGCHLD);
    let ended_children = SignalFd::with_flags(&child_signal, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    prctl::set_child_subreaper(true)?;
    unistd::chdir("/")?;

    let (program, stdin, times) = receive_launch(&mut control)?;
    crash::at(Place::GuardLaunched);
    let process = process::identity(std::process::id()).ok_or_else(|| io::Error::other("no /proc"))?;
    control.say(&FromGuard::Ready { version: VERSION, process })?;
    wait_at_gate(&mut control)?;
    crash::at(Place::GuardGateOpen);
    let nowhere = File::options().read(true).write(true).open("/dev/null")?;
    let agent = match Agent::start(&program, stdin) {
        Ok(agent) => agent,
        Err(failure) => return control.say(&FromGuard::Ended(not_started(failure))),
    };
    // While the guard held them too, the readers of the agent's output would never see its end.
    unistd::dup2_stdout(&nowhere)?;
    unistd::dup2_stderr(&nowhere)?;
    crash::at(Place::GuardStarted);
    Held::new(control, ended_children, agent, times).see_through()
}

fn receive_launch(control: &mut Control) -> io::Result<(Program, Vec<u8>, LadderTimes)> {
    let ToGuard::Launch { version, program, args, env, cwd, ladder } = control.wait_message()? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    if version != VERSION {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok((Program { path: program, args, env, cwd }, control.wait_bytes()?, ladder))
}

fn wait_at_gate(control: &mut Control) -> io::Result<()> {
    match control.wait_message()? {
        ToGuard::Open => Ok(()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn not_started(failure: SpawnFailure) -> Ended {
    Ended { status: EndStatus::SpawnFailed(failure), delivered: Delivered::No, leftovers: 0 }
}
