//! The ground that trials of killing stand on: sessions whose agents can be counted, a daemon that dies, a log that is read.

use super::ledger;
use crate::harness::{PATIENCE, Raw, World};
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The promise is 100 ms; a test on a busy machine fails at ten times that.
pub const GONE: Duration = Duration::from_secs(1);

/// Every process of an agent or check holds `held` open, and takes the lock of its workspace: a second one that works there
/// at the same time says so.
const HOLD: &str = r#"exec 3> "$HELD"; exec 9> tree; flock -n 9 || echo "${GOALD_ATTEMPT:-check}" >> two"#;

/// A world with its sessions' workspaces, and a pipe that every agent and check holds open.
pub struct Ground {
    pub world: World,
    held: File,
    workspaces: Vec<PathBuf>,
}

/// A session in its workspace.
#[derive(Clone)]
pub struct Plot {
    pub workspace: PathBuf,
    socket: PathBuf,
    held: PathBuf,
}

impl Ground {
    /// With this many workspaces, in each of which `agent` (shell, after the common beginning) works.
    pub fn new(workspaces: usize, agent: &str) -> Self {
        let world = World::new();
        let pipe = world.fifo("held");
        // Not to block: agents come and go.
        let held = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(pipe).expect("opened");
        let folder = |number: usize| {
            let folder = world.work().join(format!("w{number}"));
            std::fs::create_dir(&folder).expect("made");
            crate::harness::executable(&folder.join("agent.sh"), format!("#!/bin/sh\n{HOLD}\n{agent}\n").as_bytes());
            folder
        };
        let workspaces = (0..workspaces).map(folder).collect();
        let ground = Self { world, held, workspaces };
        ground.configure();
        ground
    }

    /// Retries are quick, and eight work at once.
    pub fn configure(&self) {
        self.world.config("retryBase = '10ms'\nmaxConcurrentAttempts = 8\n");
    }

    pub fn plots(&self) -> Vec<Plot> {
        let (socket, held) = (self.world.home().join("goald.sock"), self.world.work().join("held"));
        let plot =
            |workspace: &PathBuf| Plot { workspace: workspace.clone(), socket: socket.clone(), held: held.clone() };
        self.workspaces.iter().map(plot).collect()
    }

    /// Starts the daemon; its process, or none if it died before it listened or answered.
    pub fn start(&self, environment: &[(&str, &str)]) -> Option<Process> {
        let mut command = self.world.command(&["daemon", "start", "--json"]);
        let ran = crate::harness::finished(command.envs(environment.iter().copied()).output().expect("started"));
        let said: Value = serde_json::from_str(&ran.stdout).ok()?;
        Process::open(u32::try_from(said["pid"].as_u64()?).expect("a pid"))
    }

    pub fn reach(&self) -> Option<Raw> {
        Raw::reach(&self.world.home().join("goald.sock"))
    }

    /// Waits until no process of an agent or a check is left, and says how long that took since `began`.
    pub fn quiet_since(&self, began: Instant) -> Duration {
        let mut held = &self.held;
        let nobody = match held.read(&mut [0]) {
            // Nobody holds it open for writing.
            Ok(0) => true,
            Ok(_) => panic!("nobody writes into it"),
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
                wait(self.held.as_fd(), PollFlags::POLLHUP)
            }
        };
        let took = began.elapsed();
        assert!(nobody, "something of an agent is left after {took:?}: {:?}", self.at_work());
        // One that had not come to open it yet.
        let late = self.at_work();
        if late.is_empty() {
            return took;
        }
        for process in late {
            assert!(process.wait(), "process {} is left", process.pid);
        }
        began.elapsed()
    }

    /// The processes of agents and checks, with what they left.
    pub fn at_work(&self) -> Vec<Process> {
        let below = self.world.work();
        let marks: [&[u8]; 2] = [b"GOALD_ATTEMPT=", b"GOALD_CHECK="];
        let works = |pid: &u32| {
            let there = std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(&below));
            there
                && std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
                    environment
                        .split(|byte| *byte == 0)
                        .any(|variable| marks.iter().any(|mark| variable.starts_with(mark)))
                })
        };
        processes().into_iter().map(|(pid, _)| pid).filter(works).filter_map(Process::open).collect()
    }

    /// The whole log, read and found sound; with the state of every session, whose chains the daemon has verified by loading
    /// them.
    pub fn log(&self) -> Vec<Value> {
        let mut raw = self.reach().expect("the daemon answers");
        let mut log = Vec::new();
        let mut after = 0;
        loop {
            let page = raw.call("log", json!({"after": after}));
            let page = page.get("result").unwrap_or_else(|| panic!("the log is read: {page}"));
            log.extend(page["events"].as_array().expect("events").iter().cloned());
            match page.get("next").and_then(Value::as_u64) {
                Some(next) => after = next,
                None => break,
            }
        }
        ledger::is_sound(&log);
        log
    }

    /// Asserts what holds right after a start: every session can be loaded and is disarmed, no attempt is open, nothing of
    /// an earlier one is left, and nothing starts by itself. The log.
    pub fn verified_start(&self) -> Vec<Value> {
        let log = self.log();
        assert_eq!(ledger::open_attempts(&log), [""; 0], "the start ends what was open");
        let mut raw = self.reach().expect("the daemon answers");
        for plot in self.plots() {
            let status = raw.call("status", json!({"target": plot.target()}));
            assert_eq!(status["result"]["activation"], "disarmed", "{status}");
            assert_eq!(status["result"].get("attempt"), None, "{status}");
        }
        let left = self.at_work();
        assert!(left.is_empty(), "left over after the next start: {left:?}");
        assert_eq!(self.log().len(), log.len(), "nothing happens by itself after a start");
        self.alone();
        log
    }

    /// Asserts that never two worked in one workspace.
    pub fn alone(&self) {
        for workspace in &self.workspaces {
            let two = std::fs::read_to_string(workspace.join("two")).unwrap_or_default();
            assert_eq!(two, "", "two at work at once in {}", workspace.display());
        }
    }
}

impl Plot {
    pub fn target(&self) -> Value {
        json!({"by": "place", "workspace": self.workspace, "name": "main"})
    }

    pub fn caller(&self) -> Value {
        let path = std::env::var("PATH").expect("a PATH");
        json!({"environment": {"PATH": path, "HELD": self.held}, "cwd": self.workspace})
    }

    /// What a goal is created from; its check is met when the workspace has the file `done`.
    pub fn create(&self) -> Value {
        json!({
            "target": self.target(),
            "objective": {"from": "inline", "text": "done is there"},
            "agent": "./agent.sh",
            "maxRounds": 100_000,
            "checks": [format!("{HOLD}; (LEFT=1 setsid sleep 1000 &); test -e done")],
            "caller": self.caller(),
        })
    }

    pub fn reach(&self) -> Option<Raw> {
        Raw::reach(&self.socket)
    }

    pub fn touch(&self, name: &str) {
        std::fs::write(self.workspace.join(name), "").expect("written");
    }

    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.workspace.join(name)).ok();
    }

    /// Lets the goal go on, whatever stopped it, and waits until it is complete. None if the daemon dies meanwhile.
    pub fn complete(&self, raw: &mut Raw) -> Option<()> {
        let status = raw.ask("status", json!({"target": self.target()}))?;
        let goal = &status["result"]["goal"];
        if goal["phase"] != "complete" && status["result"]["activation"] != "armed" {
            let answer = if goal.is_null() {
                raw.ask("create", self.create())?
            } else {
                let reference = json!({"id": goal["id"], "revision": goal["revision"]});
                raw.ask("resume", json!({"target": self.target(), "ref": reference, "caller": self.caller()}))?
            };
            assert!(answer.get("result").is_some(), "it goes on: {answer}; it was {status}");
        }
        let waited = raw.ask("wait", json!({"targets": [self.target()]}))?;
        assert_eq!(waited["result"]["stopped"][0]["outcome"], "complete", "{waited}");
        Some(())
    }
}

/// A process that cannot be mistaken for another one.
#[derive(Debug)]
pub struct Process {
    pub pid: u32,
    descriptor: OwnedFd,
}

impl Process {
    /// None if it is gone.
    pub fn open(pid: u32) -> Option<Self> {
        let raw = Pid::from_raw(i32::try_from(pid).ok()?)?;
        Some(Self { pid, descriptor: pidfd_open(raw, PidfdFlags::empty()).ok()? })
    }

    pub fn signal(&self, signal: Signal) {
        // One that has just ended is as dead as it is to be.
        pidfd_send_signal(&self.descriptor, signal).ok();
    }

    /// Waits until it is over; `false` when out of patience.
    pub fn wait(&self) -> bool {
        wait(self.descriptor.as_fd(), PollFlags::POLLIN)
    }
}

/// A process that is dead when this is dropped: whoever waits for its end while a test fails does not wait for ever.
pub struct Doomed<'a>(pub &'a Process);

impl Drop for Doomed<'_> {
    fn drop(&mut self) {
        self.0.signal(Signal::KILL);
        self.0.wait();
    }
}

/// Waits until something can be told of a descriptor; `false` when out of patience.
pub fn wait(descriptor: std::os::fd::BorrowedFd<'_>, what: PollFlags) -> bool {
    let mut watched = [PollFd::new(descriptor, what)];
    poll(&mut watched, PollTimeout::try_from(PATIENCE).expect("fits")).expect("polled") == 1
}

/// Every process with its parent.
pub fn processes() -> Vec<(u32, u32)> {
    let folder = std::fs::read_dir("/proc").expect("/proc");
    let numbers = folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    numbers
        .filter_map(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()?;
            Some((pid, parent))
        })
        .collect()
}
