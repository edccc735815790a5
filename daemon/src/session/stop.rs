//! Stop means stop: after the answer no byte of a prompt is written.

use super::task::Task;
use crate::process::leftover::{self, Mark};
use std::time::Duration;

/// How long a guard may take to fence an agent's standard input before it is ended on the spot.
const FENCE: Duration = Duration::from_secs(2);

impl Task {
    /// Fences and cancels the running attempt if it is to be cancelled. Answers when no byte of a prompt can reach the
    /// agent any more; its tree then goes down the ladder by itself.
    pub(super) async fn enforce_stop(&mut self) {
        let (Some(cause), Some((attempt, handle))) = (self.live.cancelling, &self.attempt) else { return };
        let fenced = tokio::time::timeout(FENCE, handle.fence()).await;
        if fenced.is_err() {
            tracing::error!(session = %self.id, %attempt, "a guard does not answer; its tree is ended at once");
            let guard = self.state.attempt.as_ref().map(|open| open.started.guard.clone());
            let mark = Mark::Attempt(*attempt);
            let ended = tokio::task::spawn_blocking(move || guard.map(|guard| leftover::end(mark, &guard))).await;
            tracing::warn!(%attempt, ?ended, "ended without its guard's help");
        }
        handle.cancel(cause);
    }
}
