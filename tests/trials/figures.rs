//! What the kernel says about the daemon: memory, threads, descriptors.

use crate::harness::{Raw, World};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A running daemon under trial, and a client that must stay unharmed.
pub struct Stage {
    pub world: World,
    pub pid: i32,
    bystander: Raw,
}

impl Stage {
    /// Starts a daemon in a fresh world.
    pub fn new() -> Self {
        Self::of(World::new())
    }

    /// Starts a daemon in a world that was prepared.
    pub fn of(world: World) -> Self {
        world.goal(&["daemon", "start"]).exits(0);
        let pid = world.daemon_pid();
        let bystander = Raw::greeted(&world.home().join("goald.sock"));
        Self { world, pid, bystander }
    }

    /// Another greeted client.
    pub fn client(&self) -> Raw {
        Raw::greeted(&self.world.home().join("goald.sock"))
    }

    /// Where the world's main session is.
    pub fn place(&self) -> Value {
        json!({"by": "place", "workspace": self.world.work().canonicalize().unwrap(), "name": "main"})
    }

    /// How long the bystander waits for a status.
    pub fn unharmed(&mut self) -> Duration {
        let asked = Instant::now();
        let place = self.place();
        let answer = self.bystander.call("status", json!({"target": place}));
        assert!(answer["result"].is_object(), "{answer}");
        asked.elapsed()
    }

    /// A figure of the daemon in KiB: `VmHWM` is its peak, `VmRSS` what it has now.
    pub fn kib(&self, what: &str) -> u64 {
        figure(&read(self.pid, "status"), what)
    }

    /// How often the daemon's threads were woken or displaced since they began.
    pub fn switches(&self) -> u64 {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.pid)).expect("it runs");
        threads
            .map(|thread| {
                let status = read(self.pid, &format!("task/{}/status", thread.expect("listed").file_name().display()));
                figure(&status, "voluntary_ctxt_switches") + figure(&status, "nonvoluntary_ctxt_switches")
            })
            .sum()
    }

    /// How many descriptors the daemon has open.
    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.pid)).expect("it runs").count()
    }

    /// The daemon's own log, in which nothing may have gone wrong inside it.
    pub fn no_panic(&self) {
        let log = std::fs::read_to_string(self.world.home().join("goald.log")).expect("readable");
        assert!(!log.contains("panicked"), "{log}");
        assert_eq!(self.world.daemon_pid(), self.pid, "it is still the same daemon");
    }
}

fn read(pid: i32, what: &str) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/{what}")).expect("it runs")
}

fn figure(text: &str, what: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':')).expect("a figure");
    line.split_whitespace().next().expect("a number").parse().expect("a number")
}
