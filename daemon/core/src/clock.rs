//! Time, as the shell brings it. The rules read no clock.

use goald_schema::Timestamp;

/// Milliseconds of a clock that never goes back and stands still while the machine sleeps. Its zero is the start of the
/// daemon, so values do not outlive it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Mono(pub u64);

impl Mono {
    /// This plus a duration in milliseconds.
    #[must_use]
    pub const fn plus(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

/// Both clocks at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Now {
    /// The wall clock: recorded, shown, never relied on for order.
    pub wall: Timestamp,
    /// The monotonic clock: what live timers run on.
    pub mono: Mono,
}
