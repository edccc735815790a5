//! The clocks, read in one place.

use goald_core::{Mono, Now};
use goald_schema::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Both clocks. The monotonic one starts with the daemon and stands still while the machine sleeps.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
}

impl Clock {
    /// A clock whose monotonic zero is now.
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// Both clocks, now.
    pub fn now(&self) -> Now {
        let mono = Mono(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX));
        Now { wall: wall(), mono }
    }

    /// When a monotonic time comes, for tokio's timers.
    pub fn instant(&self, mono: Mono) -> Instant {
        self.started + std::time::Duration::from_millis(mono.0)
    }
}

/// The wall clock, held inside the range of dates that can be written down.
pub fn wall() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::EPOCH.plus_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
