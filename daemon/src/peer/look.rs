//! What is looked at of processes. The system in the daemon; a scene in tests, where processes come and go between looks.

use crate::process::{self, Stat};
use std::path::PathBuf;

/// A look at processes.
pub trait Look {
    /// Parent and start time; `None` if it is gone or hidden.
    fn stat(&self, pid: u32) -> Option<Stat>;
    /// The environment it was started with, variables ended by zero bytes; `None` if it may not be read.
    fn environment(&self, pid: u32) -> Option<Vec<u8>>;
    /// Its arguments, each ended by a zero byte; `None` if they may not be read.
    fn arguments(&self, pid: u32) -> Option<Vec<u8>>;
    /// The name of its process namespace; `None` if it may not be read.
    fn namespace(&self, pid: u32) -> Option<PathBuf>;
}

/// The system's `/proc`.
#[derive(Clone, Copy, Debug)]
pub struct System;

impl Look for System {
    fn stat(&self, pid: u32) -> Option<Stat> {
        process::read(pid)
    }

    fn environment(&self, pid: u32) -> Option<Vec<u8>> {
        std::fs::read(format!("/proc/{pid}/environ")).ok()
    }

    fn arguments(&self, pid: u32) -> Option<Vec<u8>> {
        std::fs::read(format!("/proc/{pid}/cmdline")).ok()
    }

    fn namespace(&self, pid: u32) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{pid}/ns/pid")).ok()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::peer::ancestry::Link;
    use crate::process::State;
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;

    type Change = Box<dyn Fn(&Scene)>;

    /// Processes that can change at any look.
    #[derive(Default)]
    pub struct Scene {
        stats: RefCell<BTreeMap<u32, Stat>>,
        environments: RefCell<BTreeMap<u32, Vec<u8>>>,
        arguments: RefCell<BTreeMap<u32, Vec<u8>>>,
        namespaces: RefCell<BTreeMap<u32, Option<PathBuf>>>,
        changes: RefCell<BTreeMap<u32, Change>>,
        looks: Cell<u32>,
    }

    pub fn link(pid: u32, start_ticks: u64) -> Link {
        Link { pid, start_ticks }
    }

    impl Scene {
        /// Processes as number, parent, start time.
        pub fn of(processes: &[(u32, u32, u64)]) -> Self {
            let scene = Self::default();
            for (pid, parent, start) in processes {
                scene.set(*pid, *parent, *start);
            }
            scene
        }

        pub fn set(&self, pid: u32, parent: u32, start_ticks: u64) {
            let stat = Stat { pid, parent, start_ticks, state: State::Alive };
            self.stats.borrow_mut().insert(pid, stat);
        }

        pub fn remove(&self, pid: u32) {
            self.stats.borrow_mut().remove(&pid);
        }

        /// Changes the scene right before a look, counted from 1.
        pub fn at(&self, look: u32, change: impl Fn(&Scene) + 'static) {
            self.changes.borrow_mut().insert(look, Box::new(change));
        }

        pub fn with_environment(self, pid: u32, environment: &str) -> Self {
            self.environments.borrow_mut().insert(pid, environment.as_bytes().to_vec());
            self
        }

        pub fn with_arguments(self, pid: u32, arguments: &str) -> Self {
            self.arguments.borrow_mut().insert(pid, arguments.as_bytes().to_vec());
            self
        }

        pub fn with_namespace(self, pid: u32, namespace: Option<&str>) -> Self {
            self.namespaces.borrow_mut().insert(pid, namespace.map(PathBuf::from));
            self
        }
    }

    impl Look for Scene {
        fn stat(&self, pid: u32) -> Option<Stat> {
            let look = self.looks.get() + 1;
            self.looks.set(look);
            if let Some(change) = self.changes.borrow_mut().remove(&look) {
                change(self);
            }
            self.stats.borrow().get(&pid).copied()
        }

        fn environment(&self, pid: u32) -> Option<Vec<u8>> {
            self.environments.borrow().get(&pid).cloned()
        }

        fn arguments(&self, pid: u32) -> Option<Vec<u8>> {
            self.arguments.borrow().get(&pid).cloned()
        }

        fn namespace(&self, pid: u32) -> Option<PathBuf> {
            self.namespaces.borrow().get(&pid).cloned().unwrap_or_else(|| Some(PathBuf::from("pid:[1]")))
        }
    }
}
