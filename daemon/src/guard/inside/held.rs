//! A tree that runs: one `poll` over the daemon's words, ended processes, room for the prompt, and the ladder's times,
//! until nothing of the tree is left.

use super::agent::Agent;
use super::control::Control;
use super::ladder::{Ladder, Rung};
use super::tree::{self, Exited, Killing, Left};
use crate::crash::{self, Place};
use crate::guard::launch::LadderTimes;
use crate::guard::status::{EndStatus, Ended};
use crate::guard::wire::{FromGuard, ToGuard};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signalfd::SignalFd;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// How soon a kill is repeated when no process has ended meanwhile: a fork can slip through while `/proc` is read.
const KILL_AGAIN: Duration = Duration::from_millis(100);

/// A tree that runs.
pub struct Held {
    control: Control,
    ended_children: SignalFd,
    agent: Agent,
    times: LadderTimes,
    ladder: Option<Ladder>,
    /// How the agent's own process ended, once it did.
    exited: Option<Exited>,
    /// Set once the tree is to be killed.
    kill: Option<Kill>,
    /// Set once the daemon is gone or talks nonsense: there is nobody to report to.
    cut: Option<io::Error>,
}

/// A tree being killed.
struct Kill {
    killing: Killing,
    why: Why,
}

#[derive(PartialEq, Eq)]
enum Why {
    /// The agent ended by itself: what is killed counts as left over.
    Leftovers,
    /// Cancelled to the last rung, or the daemon is gone.
    Tree,
}

impl Held {
    pub fn new(control: Control, ended_children: SignalFd, agent: Agent, times: LadderTimes) -> Self {
        Self { control, ended_children, agent, times, ladder: None, exited: None, kill: None, cut: None }
    }

    /// Waits until nothing of the tree is left, and reports.
    ///
    /// # Errors
    /// The daemon is gone or talks nonsense.
    pub fn see_through(mut self) -> io::Result<()> {
        loop {
            if self.reap() == Left::Nothing {
                break;
            }
            if self.exited.is_some() && self.kill.is_none() {
                crash::at(Place::GuardReaped);
                self.kill = Some(Kill { killing: Killing::default(), why: Why::Leftovers });
            }
            if let Some(kill) = &mut self.kill {
                kill.killing.turn();
                crash::at(Place::GuardLeftoversKilled);
            }
            if let Err(error) = self.wait_and_handle() {
                self.cut = Some(error);
                self.kill_tree();
            }
        }
        if let Some(cut) = self.cut {
            return Err(cut);
        }
        let status = match self.exited {
            Some(Exited::Code(code)) => EndStatus::Code(code),
            Some(Exited::Signal(signal)) => EndStatus::Signal(signal),
            None => EndStatus::GuardLost,
        };
        let leftovers = self.kill.filter(|kill| kill.why == Why::Leftovers).map_or(0, |kill| kill.killing.count());
        let delivered = self.agent.prompt.fence();
        crash::at(Place::GuardEnd);
        self.control.say(&FromGuard::Ended(Ended { status, delivered, leftovers }))
    }

    fn reap(&mut self) -> Left {
        let main = self.agent.pid();
        let exited = &mut self.exited;
        tree::reap(|pid, how| {
            // Its number may be used again by a descendant; only the first end is its own.
            if pid == main && exited.is_none() {
                *exited = Some(how);
            }
        })
    }

    fn wait_and_handle(&mut self) -> io::Result<()> {
        let due = self.ladder.as_ref().and_then(Ladder::due).filter(|_| self.kill.is_none());
        let patience = match (&self.kill, due) {
            (Some(_), _) => Some(KILL_AGAIN),
            (None, due) => due.map(|due| due.saturating_duration_since(Instant::now())),
        };
        let [heard, child, writable] = self.wait(patience)?;
        if child == Ready::Yes {
            while self.ended_children.read_signal()?.is_some() {}
        }
        if writable == Ready::Yes {
            self.agent.prompt.feed();
        }
        if heard == Ready::Yes {
            self.hear()?;
        }
        if self.kill.is_none()
            && let Some(rung) = self.ladder.as_mut().and_then(|ladder| ladder.climb(Instant::now()))
        {
            self.step(rung);
        }
        Ok(())
    }

    /// Waits for the daemon, an ended child, or room in the prompt's pipe.
    fn wait(&self, patience: Option<Duration>) -> io::Result<[Ready; 3]> {
        let timeout = patience.map_or(PollTimeout::NONE, |patience| {
            // Rounded up: waking a little early would spin until the rest of the millisecond is over.
            let millis = patience.as_micros().div_ceil(1_000);
            PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
        });
        let mut watched = Vec::with_capacity(3);
        watched.push(PollFd::new(self.ended_children.as_fd(), PollFlags::POLLIN));
        // A socket at its end would be readable for ever.
        let control = self.cut.is_none().then(|| {
            watched.push(PollFd::new(self.control.as_fd(), PollFlags::POLLIN));
            watched.len() - 1
        });
        let prompt = self.agent.prompt.writer().map(|writer| {
            watched.push(PollFd::new(writer, PollFlags::POLLOUT));
            watched.len() - 1
        });
        match poll(&mut watched, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = |at: Option<usize>| {
            let any = at.and_then(|at| watched.get(at)).and_then(PollFd::any).unwrap_or(false);
            if any { Ready::Yes } else { Ready::No }
        };
        Ok([ready(control), ready(Some(0)), ready(prompt)])
    }

    fn hear(&mut self) -> io::Result<()> {
        self.control.read()?;
        while let Some(message) = self.control.next()? {
            match message {
                ToGuard::Fence => {
                    let delivered = self.agent.prompt.fence();
                    crash::at(Place::GuardFenced);
                    self.control.say(&FromGuard::Fenced { delivered })?;
                }
                ToGuard::Cancel => {
                    if self.ladder.is_none() && self.kill.is_none() {
                        let (ladder, rung) = Ladder::begin(self.times, Instant::now());
                        self.ladder = Some(ladder);
                        self.step(rung);
                    }
                }
                ToGuard::Launch { .. } | ToGuard::Open => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        Ok(())
    }

    fn step(&mut self, rung: Rung) {
        crash::at(Place::GuardLadder);
        match rung {
            // Reaped already: its group's number may belong to somebody else.
            Rung::Interrupt if self.exited.is_none() => self.agent.interrupt(),
            Rung::Interrupt => {}
            Rung::Terminate => tree::signal(rustix::process::Signal::TERM),
            Rung::Kill => self.kill_tree(),
        }
    }

    fn kill_tree(&mut self) {
        if self.kill.is_none() {
            self.kill = Some(Kill { killing: Killing::default(), why: Why::Tree });
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ready {
    Yes,
    No,
}
