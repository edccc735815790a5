//! A sealed world for one test: a home, a workspace, the binary, and nothing left behind.

mod events;
mod raw;

pub use events::Events;
pub use raw::{Raw, code};

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// No test comes near it; it only keeps a broken one from hanging for ever.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// What a run of the binary gave.
#[must_use]
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Asserts the exit code and gives standard output.
    pub fn exits(self, code: i32) -> String {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self.stdout
    }

    /// Asserts the exit code and gives standard output as JSON.
    pub fn json(self, code: i32) -> Value {
        let text = self.exits(code);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// A sealed home and workspace.
pub struct World {
    folder: tempfile::TempDir,
    goal: PathBuf,
}

impl World {
    pub fn new() -> Self {
        Self::of(tempfile::Builder::new().prefix("goald-test-"))
    }

    /// One whose paths are always the same, that of the program too: for what is kept of it.
    pub fn named(name: &str) -> Self {
        let mut world = Self::of(tempfile::Builder::new().prefix(name).rand_bytes(0));
        let goal = world.folder.path().join("goal");
        std::fs::copy(&world.goal, &goal).expect("copied");
        world.goal = goal;
        world
    }

    fn of(builder: &mut tempfile::Builder<'_, '_>) -> Self {
        let folder = builder.tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("work")).expect("made");
        let world = Self { folder, goal: env!("CARGO_BIN_EXE_goal").into() };
        // Retries are quick, so that tests of failures need not wait; everything else is as a user has it.
        world.config("retryBase = '10ms'\n");
        world
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Writes `config.toml`.
    pub fn config(&self, text: &str) {
        std::fs::create_dir_all(self.home()).expect("made");
        std::fs::write(self.home().join("config.toml"), text).expect("written");
    }

    /// Writes a file of the workspace.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.work().join(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.work().join(name)).unwrap_or_default()
    }

    /// Writes an executable shell script into the workspace.
    pub fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.work().join(name);
        executable(&path, format!("#!/bin/sh\n{body}\n").as_bytes());
        path
    }

    /// Makes a named pipe in the workspace.
    pub fn fifo(&self, name: &str) -> PathBuf {
        let path = self.work().join(name);
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("made");
        path
    }

    /// The binary with arguments, in the workspace, with a sealed environment.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.goal);
        command.args(args).current_dir(self.work()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.folder.path()).env("GOALD_HOME", self.home()).env("LC_ALL", "C.UTF-8");
        command.stdin(Stdio::null());
        command
    }

    /// Runs the binary to its end.
    pub fn goal(&self, args: &[&str]) -> Ran {
        finished(self.command(args).output().expect("started"))
    }

    /// Starts the binary and leaves it running.
    pub fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started")
    }

    /// The status as JSON.
    pub fn status(&self) -> Value {
        self.goal(&["status", "--json"]).json(0)
    }

    /// The whole log, event by event.
    pub fn log(&self) -> Vec<Value> {
        self.log_by(&["log", "--json"])
    }

    /// The whole log of every session, event by event.
    pub fn log_of_all(&self) -> Vec<Value> {
        self.log_by(&["log", "--all", "--json"])
    }

    fn log_by(&self, args: &[&str]) -> Vec<Value> {
        let text = self.goal(args).exits(0);
        text.lines().map(|line| serde_json::from_str(line).expect("one event a line")).collect()
    }

    /// The events of one type.
    pub fn logged(&self, kind: &str) -> Vec<Value> {
        self.log().into_iter().filter(|event| event["type"] == kind).collect()
    }

    /// Follows the log from its start.
    pub fn events(&self) -> Events {
        Events::follow(self)
    }

    /// A raw connection to the socket.
    pub fn raw(&self) -> Raw {
        Raw::connect(&self.home().join("goald.sock"))
    }

    /// The daemon's process, as it says itself.
    pub fn daemon_pid(&self) -> i32 {
        let status = self.goal(&["daemon", "status", "--json"]).json(0);
        i32::try_from(status["pid"].as_u64().expect("a pid")).expect("fits")
    }

    /// Kills the daemon without a word to it, and waits until it is gone.
    pub fn kill_daemon(&self) {
        kill(self.daemon_pid());
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // A failure is understood with the daemon's own words.
            let log = std::fs::read_to_string(self.home().join("goald.log")).unwrap_or_default();
            std::io::Write::write_all(&mut std::io::stderr(), log.as_bytes()).ok();
        }
        // Whatever the test left running ends with its daemon.
        let stopped = self.goal(&["daemon", "stop"]);
        let gone = stopped.code == 0 || stopped.code == 7;
        assert!(gone || std::thread::panicking(), "the daemon of a test did not stop: {stopped:?}");
    }
}

/// Writes a program. A child writes it: were it open for writing here, another test's fork could hold it open while it is
/// executed, and the system refuses that ("text file busy").
pub fn executable(path: &Path, bytes: &[u8]) {
    let mut writer = Command::new("sh");
    writer.args(["-c", "rm -f \"$1\"; cat > \"$1\" && chmod 755 \"$1\"", "sh"]).arg(path).stdin(Stdio::piped());
    let mut child = writer.spawn().expect("started");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), bytes).expect("written");
    assert!(child.wait().expect("ended").success(), "{} is written", path.display());
}

pub fn finished(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Kills a process that a test started, and waits until it is gone.
pub fn kill(pid: i32) {
    let process = nix::unistd::Pid::from_raw(pid);
    let raw = rustix::process::Pid::from_raw(pid).expect("a pid");
    let descriptor = rustix::process::pidfd_open(raw, rustix::process::PidfdFlags::empty()).expect("it runs");
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGKILL).expect("killed");
    let mut watched = [nix::poll::PollFd::new(std::os::fd::AsFd::as_fd(&descriptor), nix::poll::PollFlags::POLLIN)];
    let ready = nix::poll::poll(&mut watched, nix::poll::PollTimeout::from(10_000_u16)).expect("polled");
    assert_eq!(ready, 1, "process {pid} is gone");
}

/// Reads a named pipe to its end: returns when every writer has closed it.
pub fn read_fifo(path: &Path) -> String {
    std::fs::read_to_string(path).expect("read")
}

/// Opens a named pipe for reading: returns once somebody has opened it for writing.
pub fn open(path: &Path) -> std::fs::File {
    std::fs::File::open(path).expect("opened")
}

/// Returns once nobody holds the pipe open for writing any more.
pub fn gone(reader: std::fs::File) {
    // The end of the last writer is told whatever was asked for; what was written before it is of no interest.
    let mut watched = [nix::poll::PollFd::new(std::os::fd::AsFd::as_fd(&reader), nix::poll::PollFlags::empty())];
    let patience = nix::poll::PollTimeout::try_from(PATIENCE).expect("fits");
    assert_eq!(nix::poll::poll(&mut watched, patience).expect("polled"), 1, "somebody still holds the pipe");
}

/// The processes that carry the marker of any attempt of this world's home.
pub fn agents_of(world: &World) -> Vec<u32> {
    let home = format!("GOALD_SOCKET={}", world.home().join("goald.sock").display());
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    folder
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let has = |fits: &dyn Fn(&[u8]) -> bool| environment.split(|byte| *byte == 0).any(fits);
            // The daemon knows its socket too, but carries no attempt's marker.
            has(&|variable| variable == home.as_bytes()) && has(&|variable| variable.starts_with(b"GOALD_ATTEMPT="))
        })
        .collect()
}

/// Says that something was not shown here, and how it could be; with `CI` set the caller fails instead.
pub fn skipped(what: &str, how: &str) {
    // Past the test runner's capture: a skip must be seen.
    std::io::Write::write_all(&mut std::io::stderr(), format!("SKIPPED: {what}: {how}\n").as_bytes()).ok();
}
