//! The session's hand on a running attempt.

use super::intent::Intent;
use crate::guard::Control;
use goald_schema::event::{CancelCause, Delivered};
use tokio::sync::watch;

/// How far the output file has grown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OutputState {
    /// How many bytes of it can be read.
    pub len: u64,
    /// Whether it is whole.
    pub done: bool,
}

/// Fencing, cancelling and following. Copies are equal; dropping them all changes nothing.
#[derive(Clone, Debug)]
pub struct AttemptHandle {
    pub(super) control: Control,
    pub(super) intent: watch::Sender<Option<Intent>>,
    pub(super) output: watch::Receiver<OutputState>,
}

impl AttemptHandle {
    /// Takes the prompt back as far as it was not read. When this returns, no further byte of it can reach the agent.
    pub async fn fence(&self) -> Delivered {
        self.control.fence().await
    }

    /// Begins to end the attempt; from now on its outcome is "interrupted", by the strongest cause that was given.
    pub fn cancel(&self, cause: CancelCause) {
        self.intent.send_modify(|intent| *intent = Some(Intent::stronger(*intent, Intent::Cancel(cause))));
        self.control.cancel();
    }

    /// Changes with every stored chunk, and once more at the end.
    pub fn output(&self) -> watch::Receiver<OutputState> {
        self.output.clone()
    }
}
