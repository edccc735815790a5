//! What fits no session: which of them may work where, and how many at once.
//!
//! One tree, one worker: at most one attempt or check a workspace, over all sessions. At most `limit` over all, first
//! come first served, and one more for human messages. Pure bookkeeping behind one lock; waiters are woken, not polled.

use goald_core::live::Worker;
use std::collections::{HashSet, VecDeque};
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
    busy: HashSet<String>,
    waiting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    workspace: String,
    worker: Worker,
    grant: oneshot::Sender<Slot>,
}

/// A workspace and a slot, given back when dropped.
#[derive(Debug)]
pub struct Slot {
    workspace: String,
    scheduler: Scheduler,
}

impl Scheduler {
    /// At most `limit` slots, and one more for messages.
    pub fn new(limit: u32) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let inner = Inner { limit, held: 0, busy: HashSet::new(), waiting: VecDeque::new() };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }

    /// Queues up. Dropping the receiver leaves the queue.
    pub fn request(&self, workspace: &str, worker: Worker) -> oneshot::Receiver<Slot> {
        let (grant, granted) = oneshot::channel();
        self.lock().waiting.push_back(Waiter { workspace: workspace.to_owned(), worker, grant });
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
                inner.busy.insert(waiter.workspace.clone());
                let slot = Slot { workspace: waiter.workspace.clone(), scheduler: self.clone() };
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
        let place = self.waiting.iter().position(|waiter| {
            let room = match waiter.worker {
                Worker::Messages => self.held <= self.limit,
                Worker::Round | Worker::Check => self.held < self.limit,
            };
            room && !self.busy.contains(&waiter.workspace)
        })?;
        self.waiting.remove(place)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        {
            let mut inner = self.scheduler.lock();
            inner.held = inner.held.saturating_sub(1);
            inner.busy.remove(&self.workspace);
        }
        self.scheduler.hand_out();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(receiver: &mut oneshot::Receiver<Slot>) -> Option<Slot> {
        receiver.try_recv().ok()
    }

    #[test]
    fn one_tree_has_one_worker_and_the_next_in_line_follows() {
        let scheduler = Scheduler::new(4);
        let first = granted(&mut scheduler.request("/a", Worker::Round)).expect("free");
        let mut second = scheduler.request("/a", Worker::Check);
        assert!(granted(&mut second).is_none());
        drop(first);
        assert!(granted(&mut second).is_some());
    }

    #[test]
    fn at_most_the_limit_runs_and_one_more_for_messages() {
        let scheduler = Scheduler::new(1);
        let _first = granted(&mut scheduler.request("/a", Worker::Round)).expect("free");
        let mut round = scheduler.request("/b", Worker::Round);
        assert!(granted(&mut round).is_none());
        let message = granted(&mut scheduler.request("/c", Worker::Messages)).expect("one more");
        assert!(granted(&mut scheduler.request("/d", Worker::Messages)).is_none());
        drop(message);
        assert!(granted(&mut round).is_none(), "the extra slot is not for rounds");
    }

    #[test]
    fn first_come_first_served_past_one_whose_tree_is_busy() {
        let scheduler = Scheduler::new(2);
        let a = granted(&mut scheduler.request("/a", Worker::Round)).expect("free");
        let mut again = scheduler.request("/a", Worker::Round);
        let mut other = scheduler.request("/b", Worker::Round);
        assert!(granted(&mut again).is_none());
        let b = granted(&mut other).expect("another tree is free");
        let mut late = scheduler.request("/c", Worker::Round);
        drop(a);
        assert!(granted(&mut again).is_some(), "it came before the late one");
        drop(b);
        assert!(granted(&mut late).is_some());
    }

    #[test]
    fn a_waiter_that_left_holds_nothing() {
        let scheduler = Scheduler::new(1);
        let first = granted(&mut scheduler.request("/a", Worker::Round)).expect("free");
        drop(scheduler.request("/b", Worker::Round));
        drop(first);
        assert_eq!(scheduler.held(), 0);
        assert!(granted(&mut scheduler.request("/b", Worker::Round)).is_some());
    }
}
