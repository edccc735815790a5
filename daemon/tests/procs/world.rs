//! A temporary folder with a script to run, and witnesses: named pipes that tell by their end that nobody holds them.

use goald_daemon::guard::{Guard, LadderTimes, Launch, Running};
use goald_daemon::process;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The program that is the guard: this one.
pub fn goal() -> PathBuf {
    std::env::current_exe().expect("this program has a path")
}

pub struct World {
    folder: TempDir,
}

impl World {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file of text")
    }

    /// A named pipe in the folder.
    pub fn witness(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("a fifo");
        path
    }

    /// A shell script as a launch, in the folder, with patience enough that no rung of the ladder comes by itself.
    pub fn script(&self, script: &str) -> Launch {
        let patient = Duration::from_mins(10);
        Launch {
            program: "/bin/sh".into(),
            args: vec!["-c".to_owned(), script.to_owned()],
            env: BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]),
            cwd: self.folder.path().to_owned(),
            stdin: Vec::new(),
            ladder: LadderTimes { interrupt: patient, terminate: patient },
        }
    }

    pub async fn run(&self, script: &str) -> Running {
        open(self.script(script)).await
    }
}

/// Spawned and opened.
pub async fn open(launch: Launch) -> Running {
    Guard::spawn(&goal(), launch).await.expect("a guard").open().expect("an open gate")
}

/// The reading end of a witness. Opening waits for the first writer.
pub struct Witness {
    reader: BufReader<File>,
}

impl Witness {
    pub async fn open(path: &Path) -> Self {
        let path = path.to_owned();
        let file = blocking(move || File::open(path).expect("a fifo")).await;
        Self { reader: BufReader::new(file) }
    }

    /// The next line somebody writes.
    pub async fn line(mut self) -> (String, Self) {
        blocking(move || {
            let mut line = String::new();
            self.reader.read_line(&mut line).expect("a line");
            (line.trim_end().to_owned(), self)
        })
        .await
    }

    /// Whether no process holds the writing end any more, without waiting for it.
    pub fn is_gone(&self) -> bool {
        let mut watched = [PollFd::new(self.reader.get_ref().as_fd(), PollFlags::POLLIN)];
        poll(&mut watched, PollTimeout::ZERO).expect("polled");
        watched[0].revents().is_some_and(|events| events.contains(PollFlags::POLLHUP))
    }

    /// Returns when no process holds the writing end any more.
    pub async fn gone(mut self) {
        blocking(move || {
            self.reader.read_to_end(&mut Vec::new()).expect("an end");
        })
        .await;
    }
}

/// Opens the writing end of a fifo that a script waits on, and lets it go on.
pub async fn let_go(path: PathBuf) {
    blocking(move || std::fs::write(path, "go\n").expect("somebody waits")).await;
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("no panic")
}

/// Waits until there is no process with this number any more, not even an unreaped one.
pub async fn reaped(pid: u32) {
    while process::read(pid).is_some() {
        tokio::task::yield_now().await;
    }
}
