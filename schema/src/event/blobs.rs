//! Which blobs an event names.

use super::Event;
use crate::id::BlobHash;

impl Event {
    /// The texts that are kept beside the log for this event.
    pub fn blobs(&self) -> Vec<&BlobHash> {
        match self {
            Self::GoalChange(change) => {
                let whole = change.snapshot().and_then(|set| set.goal.objective.whole.as_ref());
                whole.iter().map(|whole| &whole.blob).collect()
            }
            Self::AttemptStarted(started) => vec![&started.prompt],
            Self::AttemptEnded(ended) => ended.final_text.iter().collect(),
            Self::MessageQueued(queued) => vec![&queued.text],
            Self::VerdictRecorded(verdict) => {
                verdict.results.iter().filter_map(|result| result.output_tail.as_ref()).collect()
            }
            Self::SessionOpened(_)
            | Self::PauseRequested(_)
            | Self::PauseWithdrawn(_)
            | Self::RoundAdmitted(_)
            | Self::TurnStopped(_)
            | Self::RoundEnded(_)
            | Self::MessageDelivered(_)
            | Self::ClaimMade(_)
            | Self::ClaimRefused(_)
            | Self::HoldOpened(_)
            | Self::HoldClosed(_)
            | Self::QuestionAsked(_)
            | Self::QuestionAnswered(_)
            | Self::EffectBegun(_)
            | Self::EffectFinished(_)
            | Self::AuthorityRefused(_)
            | Self::PermissionSuspended(_) => Vec::new(),
        }
    }
}
