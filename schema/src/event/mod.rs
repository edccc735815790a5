//! Everything that can happen to a session, as it stands in the log (`docs/events.md`).
//!
//! One file an event family. An event is stored as `(type, version, data)`; [`Event::decode`] is the one place where
//! older versions are raised to the newest.

mod attempt;
mod authority;
mod blobs;
mod claim;
mod effect;
mod goal;
mod hold;
mod message;
mod pause;
mod question;
mod record;
mod round;
mod session;
mod tagged;
mod turn;
mod verdict;

pub use attempt::{
    AttemptEnded, AttemptStarted, CancelCause, Delivered, Failure, FailureKind, Given, GuardProcess, Next, Outcome,
    TimeoutKind, Turn,
};
pub use authority::{AuthorityRefused, Operation, PermissionSuspended};
pub use claim::{Claim, ClaimMade, ClaimRefused, RefusedWhy};
pub use effect::{EffectBegun, EffectFinished};
pub use goal::{GoalChange, GoalCleared, GoalSet};
pub use hold::{HoldClosed, HoldOn, HoldOpened, HoldOutcome};
pub use message::{MessageDelivered, MessageFailure, MessageQueued};
pub use pause::{PauseRequested, PauseWithdrawn};
pub use question::{QuestionAnswered, QuestionAsked, QuestionKind, Reply};
pub use record::{EventData, EventRecord};
pub use round::{RoundAdmitted, RoundEnd, RoundEnded};
pub use session::SessionOpened;
pub use turn::TurnStopped;
pub use verdict::{Occasion, Verdict, VerdictResult};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident($data:ty) => $text:literal,)*) => {
        /// One event's type and data, always at the newest version.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "type", content = "data")]
        pub enum Event {
            $($(#[$doc])* #[serde(rename = $text)] $variant($data),)*
        }

        impl Event {
            /// Every event type, in the order of `docs/events.md`.
            pub const TYPES: &'static [&'static str] = &[$($text),*];

            /// The stored type, such as `goal/change`.
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $text,)*
                }
            }

            /// The data as stored JSON.
            ///
            /// # Errors
            /// Only if a value cannot be written as JSON, which no event's can.
            pub fn encode(&self) -> Result<String, serde_json::Error> {
                match self {
                    $(Self::$variant(data) => serde_json::to_string(data),)*
                }
            }

            fn decode_newest(kind: &str, data: &str) -> Result<Self, DecodeError> {
                match kind {
                    $($text => serde_json::from_str(data)
                        .map(Self::$variant)
                        .map_err(|error| DecodeError::Data { kind: kind.to_owned(), error: error.to_string() }),)*
                    _ => Err(DecodeError::Type(kind.to_owned())),
                }
            }
        }
    };
}

events! {
    /// A session came to be.
    SessionOpened(SessionOpened) => "session/opened",
    /// The goal was created, changed or cleared.
    GoalChange(GoalChange) => "goal/change",
    /// A pause was asked for at the round's end.
    PauseRequested(PauseRequested) => "pause/requested",
    /// That wish was taken back.
    PauseWithdrawn(PauseWithdrawn) => "pause/withdrawn",
    /// A round's number was used up.
    RoundAdmitted(RoundAdmitted) => "round/admitted",
    /// An agent is about to get a prompt.
    AttemptStarted(AttemptStarted) => "attempt/started",
    /// The agent is gone.
    AttemptEnded(AttemptEnded) => "attempt/ended",
    /// A human stopped a message turn.
    TurnStopped(TurnStopped) => "turn/stopped",
    /// A round is over.
    RoundEnded(RoundEnded) => "round/ended",
    /// A human's message waits.
    MessageQueued(MessageQueued) => "message/queued",
    /// Messages are done with.
    MessageDelivered(MessageDelivered) => "message/delivered",
    /// An agent reported.
    ClaimMade(ClaimMade) => "claim/made",
    /// An agent's report was refused.
    ClaimRefused(ClaimRefused) => "claim/refused",
    /// Criteria were checked.
    VerdictRecorded(Verdict) => "verdict/recorded",
    /// A reason not to start the next round.
    HoldOpened(HoldOpened) => "hold/opened",
    /// That reason is gone.
    HoldClosed(HoldClosed) => "hold/closed",
    /// The human is asked.
    QuestionAsked(QuestionAsked) => "question/asked",
    /// The human answered, or dismissed it.
    QuestionAnswered(QuestionAnswered) => "question/answered",
    /// Something outside began that must not happen twice.
    EffectBegun(EffectBegun) => "effect/begun",
    /// It finished.
    EffectFinished(EffectFinished) => "effect/finished",
    /// Somebody tried what it may not do.
    AuthorityRefused(AuthorityRefused) => "authority/refused",
    /// The standing permission to resume after a restart is suspended.
    PermissionSuspended(PermissionSuspended) => "permission/suspended",
}

/// The version of every event type that this goald writes.
pub const EVENT_VERSION: u32 = 1;

/// Why an event cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// No such event type.
    #[error("unknown event type {0:?}")]
    Type(String),
    /// A version that this goald does not know.
    #[error("event type {kind} has version {version}; this goald knows versions up to {EVENT_VERSION}")]
    Version {
        /// The event's type.
        kind: String,
        /// Its version.
        version: u32,
    },
    /// The data does not fit the type.
    #[error("the data of {kind} cannot be read: {error}")]
    Data {
        /// The event's type.
        kind: String,
        /// What is wrong with it.
        error: String,
    },
}

impl Event {
    /// Reads a stored event strictly: an unknown type, version or field is an error.
    ///
    /// # Errors
    /// [`DecodeError`], which says what does not fit.
    pub fn decode(kind: &str, version: u32, data: &str) -> Result<Self, DecodeError> {
        match version {
            // A struct can be read from a list too, by position: no event is ever written so.
            EVENT_VERSION if Self::TYPES.contains(&kind) && !data.starts_with('{') => {
                Err(DecodeError::Data { kind: kind.to_owned(), error: "it is no object".to_owned() })
            }
            EVENT_VERSION => Self::decode_newest(kind, data),
            _ => Err(DecodeError::Version { kind: kind.to_owned(), version }),
        }
    }
}
