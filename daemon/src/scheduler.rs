//! What fits no session: which of them may work where, and how many at once.
//!
//! One tree, one worker: at most one attempt or check a workspace, over all sessions; a workspace inside another is the
//! same tree. A goal that shares its workspace takes none. At most `limit` over all, first come first served, and one more
//! for human messages. Pure bookkeeping behind one lock; waiters are woken, not polled.

use goald_core::live::Worker;
use goald_schema::goal::WorkspaceUse;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// Hands out workspaces and slots.
#[derive(Clone, Debug)]
pub struct Scheduler {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    limit: usize,
    held: usize,
    busy: Vec<PathBuf>,
    waiting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    /// The tree it takes, if it takes one.
    tree: Option<PathBuf>,
    worker: Worker,
    grant: oneshot::Sender<Slot>,
}

/// A slot, and the workspace unless that is shared; given back when dropped.
#[derive(Debug)]
pub struct Slot {
    tree: Option<PathBuf>,
    scheduler: Scheduler,
}

impl Slot {
    /// Whether the workspace was taken with it.
    pub fn workspace_use(&self) -> WorkspaceUse {
        if self.tree.is_some() { WorkspaceUse::Alone } else { WorkspaceUse::Shared }
    }
}

impl Scheduler {
    /// At most `limit` slots, and one more for messages.
    pub fn new(limit: u32) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let inner = Inner { limit, held: 0, busy: Vec::new(), waiting: VecDeque::new() };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }

    /// Queues up. Dropping the receiver leaves the queue.
    pub fn request(&self, workspace: &Path, workspace_use: WorkspaceUse, worker: Worker) -> oneshot::Receiver<Slot> {
        let (grant, granted) = oneshot::channel();
        let tree = workspace_use.is_alone().then(|| workspace.to_owned());
        self.lock().waiting.push_back(Waiter { tree, worker, grant });
        self.hand_out();
        granted
    }

    /// How many slots are held.
    pub fn held(&self) -> usize {
        self.lock().held
    }

    /// Gives every waiter its slot whose workspace is free and for whom there is room, in the order they came.
    fn hand_out(&self) {
        loop {
            let (waiter, slot) = {
                let mut inner = self.lock();
                let Some(waiter) = inner.take_next() else { return };
                inner.held += 1;
                inner.busy.extend(waiter.tree.clone());
                let slot = Slot { tree: waiter.tree.clone(), scheduler: self.clone() };
                (waiter, slot)
            };
            // A waiter that left meanwhile hands the slot straight back: it is dropped outside the lock.
            drop(waiter.grant.send(slot));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        // The bookkeeping is consistent at every point where a panic could happen.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn take_next(&mut self) -> Option<Waiter> {
        self.waiting.retain(|waiter| !waiter.grant.is_closed());
        // Nobody overtakes whoever waits for a tree that it would take: else workers inside a large tree, one after
        // another, could keep whoever wants the whole of it waiting for ever.
        let mut promised: Vec<&Path> = Vec::new();
        let place = self.waiting.iter().position(|waiter| {
            let room = match waiter.worker {
                Worker::Messages => self.held <= self.limit,
                Worker::Round | Worker::Check => self.held < self.limit,
            };
            let Some(tree) = waiter.tree.as_deref().filter(|_| room) else { return room };
            let mut taken = self.busy.iter().map(PathBuf::as_path).chain(promised.iter().copied());
            let free = !taken.any(|other| overlap(tree, other));
            promised.push(tree);
            free
        })?;
        self.waiting.remove(place)
    }
}

/// Whether they are one tree: the same folder, or one inside the other.
fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

impl Drop for Slot {
    fn drop(&mut self) {
        {
            let mut inner = self.scheduler.lock();
            inner.held = inner.held.saturating_sub(1);
            let place = inner.busy.iter().position(|busy| Some(busy) == self.tree.as_ref());
            place.map(|place| inner.busy.swap_remove(place));
        }
        self.scheduler.hand_out();
    }
}

#[cfg(test)]
mod tests;
