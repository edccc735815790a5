//! One session whose state folder lies on a small disk, and the gate at which its appends can be held.

use super::disk::SmallDisk;
use crate::harness::{Raw, code};
use crate::trials::ground::{Ground, Plot, Process, wait};
use crate::trials::hands::follow;
use crate::trials::ledger::Ledger;
use nix::fcntl::OFlag;
use nix::poll::PollFlags;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;

/// Does what it is told, works until it is let go where it is slow, and has done its work then.
const AGENT: &str = r#"cat > /dev/null; echo working
[ -e told ] && { "$GOALD_BIN" $(cat told); echo "exit $?"; } >> said.txt 2>&1
[ -e slow ] && read -r word < turn
[ -e never ] || touch done"#;

/// A daemon on a small disk, with one session.
pub struct Scene {
    pub plot: Plot,
    pub raw: Raw,
    pub process: Process,
    pub ledger: Ledger,
    pub disk: SmallDisk,
    // Last: its folder is removed, and its daemon stopped, when nothing else needs them.
    pub ground: Ground,
}

impl Scene {
    /// Starts it; why this machine cannot.
    pub fn new() -> Result<Self, String> {
        let ground = Ground::new(1, AGENT);
        let disk = SmallDisk::mount(&ground.world.home())?;
        ground.configure();
        for pipe in ["reached", "go", "w0/turn"] {
            ground.world.fifo(pipe);
        }
        let work = ground.world.work();
        let process = ground.start(&[("GOALD_CRASH_GATE", work.to_str().expect("UTF-8"))]).expect("it starts");
        let (plot, raw) = (ground.plots().remove(0), ground.reach().expect("it answers"));
        Ok(Self { plot, raw, process, ledger: Ledger::default(), disk, ground })
    }

    /// The next commit with such an event waits.
    pub fn hold(&self, kind: &str, holds: &str) {
        let (new, wanted) = (self.ground.world.work().join("new"), self.ground.world.work().join("wanted"));
        std::fs::write(&new, format!("{kind}\n{holds}\n")).expect("written");
        std::fs::rename(new, wanted).expect("renamed");
    }

    /// Returns once the commit waits.
    pub fn held(&self) {
        let pipe = self.ground.world.work().join("reached");
        // Not to block: a commit that never comes is a failure, not a test without end.
        let pipe = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(pipe).expect("opened");
        assert!(wait(pipe.as_fd(), PollFlags::POLLHUP), "nothing is appended that was to be held");
    }

    /// The commit goes on.
    pub fn release(&self) {
        drop(OpenOptions::new().write(true).open(self.ground.world.work().join("go")).expect("opened"));
    }

    /// A slow agent ends its turn.
    pub fn end_turn(&self) {
        drop(OpenOptions::new().write(true).open(self.plot.workspace.join("turn")).expect("opened"));
    }

    /// What the agent is to say to goald.
    pub fn tell(&self, words: &str) {
        std::fs::write(self.plot.workspace.join("told"), words).expect("written");
    }

    /// Asks for a change, which is granted.
    pub fn grant(&mut self, method: &str, params: Value) {
        let answer = self.raw.call(method, params);
        assert_eq!(answer["result"]["changed"], true, "{method}: {answer}");
        self.ledger.note(&answer);
    }

    /// Asks for a change, which the full disk refuses.
    pub fn refuse(&mut self, method: &str, params: Value) {
        let answer = self.raw.call(method, params);
        assert_eq!(code(&answer), "disk-full", "{method}: {answer}");
    }

    /// The session's state; none if there is no such session.
    pub fn status(&self) -> Value {
        let mut raw = self.plot.reach().expect("it answers");
        raw.call("status", json!({"target": self.plot.target()}))["result"].take()
    }

    pub fn reference(&self) -> Value {
        let goal = &self.status()["goal"];
        json!({"id": goal["id"], "revision": goal["revision"]})
    }

    /// Waits for an event.
    pub fn until(&self, kind: &str) {
        let seen = follow(&self.plot, 0, |event| event["type"] != kind);
        assert_eq!(seen.last().map(|event| event["type"].clone()), Some(json!(kind)));
    }

    /// Nothing makes the agent slow or contrary any more.
    pub fn calm(&self) {
        for name in ["slow", "told", "never"] {
            self.plot.remove(name);
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // One that waits at its gate would not stop.
            self.process.signal(rustix::process::Signal::KILL);
            self.process.wait();
        }
    }
}
