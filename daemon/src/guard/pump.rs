//! The conversation with a guard whose gate is open: one task owns the socket, and everybody else talks to it.

use super::launch::LadderTimes;
use super::status::{EndStatus, Ended};
use super::wire::{self, Frames, FromGuard, ToGuard};
use crate::process::adopted;
use crate::process::leftover::{self, Mark};
use goald_schema::event::{Delivered, GuardProcess};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// What the daemon wants of a guard.
#[derive(Debug)]
pub(super) enum Order {
    Fence(oneshot::Sender<Delivered>),
    Cancel,
}

/// A hand on a running tree. Copies are equal; none of them keeps the tree alive.
#[derive(Clone, Debug)]
pub struct Control {
    orders: mpsc::UnboundedSender<Order>,
    end: watch::Receiver<Option<Ended>>,
}

impl Control {
    pub(super) fn new(orders: mpsc::UnboundedSender<Order>, end: watch::Receiver<Option<Ended>>) -> Self {
        Self { orders, end }
    }

    /// Takes the prompt back as far as it was not read. When this returns, no further byte of it can reach the program.
    /// Says how much had got there before. After the end: what the end said.
    pub async fn fence(&self) -> Delivered {
        let (reply, answer) = oneshot::channel();
        if self.orders.send(Order::Fence(reply)).is_ok()
            && let Ok(delivered) = answer.await
        {
            return delivered;
        }
        // The conversation is over. Its task stores the end before it goes.
        self.end.borrow().as_ref().map_or(Delivered::Unknown, |ended| ended.delivered)
    }

    /// Begins the cancellation: interrupt, terminate, kill. A second call changes nothing.
    pub fn cancel(&self) {
        // Nobody listens any more: then the tree has ended, which is what was asked for.
        let _ended = self.orders.send(Order::Cancel);
    }
}

/// What the guard holds, to end it without the guard's help.
pub(super) struct Held {
    pub mark: Mark,
    pub guard: GuardProcess,
    pub ladder: LadderTimes,
}

/// How long after the last rung of a cancellation a guard may take to report the end; one that is silent for longer is
/// stopped or stuck.
const OVERDUE: Duration = Duration::from_secs(5);

/// Owns the lifeline until the guard has nothing left, or is gone: then what it has left is ended here. Being dropped
/// closes the lifeline.
pub(super) async fn pump(
    held: Held,
    mut lifeline: UnixStream,
    mut frames: Frames,
    mut orders: mpsc::UnboundedReceiver<Order>,
    report: watch::Sender<Option<Ended>>,
) {
    let ended = converse(&mut lifeline, &mut frames, &mut orders, held.ladder).await;
    if ended.status == EndStatus::GuardLost {
        let Held { mark, guard, .. } = held;
        let end = move || leftover::end(mark, &guard).saturating_add(adopted::end());
        let left = tokio::task::spawn_blocking(end).await;
        tracing::warn!(?mark, ?left, "a guard was lost; what it held is ended");
    }
    report.send_replace(Some(ended));
}

async fn converse(
    lifeline: &mut UnixStream,
    frames: &mut Frames,
    orders: &mut mpsc::UnboundedReceiver<Order>,
    ladder: LadderTimes,
) -> Ended {
    let mut overdue: Option<Instant> = None;
    let mut fences: VecDeque<oneshot::Sender<Delivered>> = VecDeque::new();
    let mut bytes = [0; 4096];
    loop {
        match frames.next_message() {
            Ok(Some(FromGuard::Ended(ended))) => {
                answer_all(&mut fences, ended.delivered);
                return ended;
            }
            Ok(Some(FromGuard::Fenced { delivered })) => {
                if let Some(fence) = fences.pop_front() {
                    // Whoever asked may have gone.
                    let _gone = fence.send(delivered);
                }
                continue;
            }
            Ok(Some(FromGuard::Ready { .. })) => continue,
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "the guard speaks nonsense");
                return Ended::LOST;
            }
        }
        tokio::select! {
            read = lifeline.read(&mut bytes) => match read {
                Ok(count @ 1..) => frames.push(&bytes[..count]),
                Ok(0) | Err(_) => return Ended::LOST,
            },
            () = sleep_until(overdue) => {
                tracing::error!("a guard does not end what it was told to end");
                return Ended::LOST;
            }
            Some(order) = orders.recv() => {
                let message = match order {
                    Order::Fence(reply) => {
                        fences.push_back(reply);
                        ToGuard::Fence
                    }
                    Order::Cancel => {
                        let last_rung = Instant::now().checked_add(ladder.interrupt + ladder.terminate);
                        overdue = overdue.or(last_rung.and_then(|last| last.checked_add(OVERDUE)));
                        ToGuard::Cancel
                    }
                };
                // A guard that is just exiting no longer takes orders, but its last word is still to be read.
                if let Ok(framed) = wire::message(&message) {
                    let _exiting = lifeline.write_all(&framed).await;
                }
            }
        }
    }
}

async fn sleep_until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

fn answer_all(fences: &mut VecDeque<oneshot::Sender<Delivered>>, delivered: Delivered) {
    for fence in fences.drain(..) {
        let _gone = fence.send(delivered);
    }
}
