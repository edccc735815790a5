//! The one writer: a thread that makes all appends that wait durable in one commit, and answers only after it.
//!
//! While one commit is on its way to the disk the next appends queue up; nothing waits for company. The queue has no
//! bound of its own: each session has one append under way.

use super::append::{Append, AppendResult, PendingAppend};
use super::commit::Committer;
use super::error::StoreError;
use super::purge::{Purge, Purged};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;

/// At most so many appends in one commit, so that the first of them does not wait long.
const BATCH: usize = 512;

/// At most so many bytes of blobs in one commit, beyond its first append.
const BATCH_BYTES: usize = 8 << 20;

/// What the thread is asked for.
#[derive(Debug)]
pub(super) enum Job {
    /// An append.
    Append(Waiting),
    /// Blobs are to go, and nothing may be appended meanwhile.
    Purge {
        /// Which.
        purge: Purge,
        /// Events up to this position were looked at.
        after: i64,
        /// Who waits for it.
        answer: oneshot::Sender<Result<Purged, StoreError>>,
    },
}

/// An append and who waits for it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub append: Append,
    pub answer: oneshot::Sender<AppendResult>,
}

/// The queue of the thread. Dropping it waits until everything queued is done.
#[derive(Debug)]
pub(super) struct Writer {
    /// Where jobs go; `None` once it closes; the answer to all of them where nothing may be written.
    jobs: Option<Result<Sender<Job>, StoreError>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system's, if it gives no thread.
    pub fn start(committer: Committer) -> std::io::Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let thread = thread::Builder::new().name("goald-store".to_owned()).spawn(move || run(committer, &queue))?;
        Ok(Self { jobs: Some(Ok(jobs)), thread: Some(thread) })
    }

    /// One without a thread, that refuses everything.
    pub fn refusing(damage: StoreError) -> Self {
        Self { jobs: Some(Err(damage)), thread: None }
    }

    /// Queues an append.
    pub fn append(&self, append: Append) -> PendingAppend {
        let (answer, pending) = PendingAppend::channel();
        // If the thread is gone, the answer's sender goes with the job, and the future says that the store is closed.
        match &self.jobs {
            Some(Ok(jobs)) => drop(jobs.send(Job::Append(Waiting { append, answer }))),
            Some(Err(damage)) => drop(answer.send(Err(damage.clone()))),
            None => {}
        }
        pending
    }

    /// Lets the thread purge between two commits, and waits for it.
    pub fn purge(&self, purge: Purge, after: i64) -> Result<Purged, StoreError> {
        let (answer, answered) = oneshot::channel();
        match &self.jobs {
            Some(Ok(jobs)) => drop(jobs.send(Job::Purge { purge, after, answer })),
            Some(Err(damage)) => return Err(damage.clone()),
            None => {}
        }
        answered.blocking_recv().unwrap_or(Err(StoreError::Closed))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer of the log panicked");
        }
    }
}

/// Works until nobody can queue any more, then closes the database.
pub(super) fn run(mut committer: Committer, queue: &Receiver<Job>) {
    let mut next = None;
    while let Some(job) = next.take().or_else(|| queue.recv().ok()) {
        match job {
            Job::Append(first) => {
                let (batch, other) = gather(first, queue);
                next = other;
                let (appends, answers): (Vec<_>, Vec<_>) =
                    batch.into_iter().map(|one| (one.append, one.answer)).unzip();
                for (answer, result) in answers.into_iter().zip(committer.commit(appends)) {
                    // Nobody may be waiting any more: the append was made all the same.
                    drop(answer.send(result));
                }
            }
            Job::Purge { purge, after, answer } => drop(answer.send(committer.purge(&purge, after))),
        }
        // Only now, so that no answer waits for it.
        committer.checkpoint();
    }
    committer.close();
}

/// The first append and what else waits already, up to something else that comes between.
fn gather(first: Waiting, queue: &Receiver<Job>) -> (Vec<Waiting>, Option<Job>) {
    let mut bytes = 0_usize;
    let mut batch = vec![first];
    while batch.len() < BATCH && bytes < BATCH_BYTES {
        match queue.try_recv() {
            Ok(Job::Append(one)) => {
                bytes = one.append.blobs.iter().fold(bytes, |sum, blob| sum.saturating_add(blob.bytes.len()));
                batch.push(one);
            }
            Ok(other) => return (batch, Some(other)),
            Err(_) => break,
        }
    }
    (batch, None)
}
