//! Waiting for things to happen, by following the log.

use super::{PATIENCE, World};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};

/// A followed log.
pub struct Events {
    follower: Child,
    lines: Receiver<Value>,
}

impl Events {
    pub fn follow(world: &World) -> Self {
        let mut follower = world.spawn(&["log", "--follow", "--all", "--json"]);
        let stdout = follower.stdout.take().expect("piped");
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(event) = serde_json::from_str(&line.expect("readable")) else { return };
                if tell.send(event).is_err() {
                    return;
                }
            }
        });
        Self { follower, lines }
    }

    /// The next event that fits.
    pub fn until(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let mut seen = Vec::new();
        loop {
            let event =
                self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{what}: {error}; seen {seen:?}"));
            if fits(&event) {
                return event;
            }
            seen.push(event["type"].to_string());
        }
    }

    /// The next event of a type.
    pub fn next(&self, kind: &str) -> Value {
        self.until(kind, |event| event["type"] == kind)
    }

    /// The next `goal/change` by this operation.
    pub fn change(&self, operation: &str) -> Value {
        self.until(operation, |event| event["type"] == "goal/change" && event["data"]["operation"] == operation)
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.follower.kill().ok();
        self.follower.wait().ok();
    }
}
