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
    let since = system().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::EPOCH.plus_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(not(feature = "test-clock"))]
fn system() -> SystemTime {
    SystemTime::now()
}

/// Compiled only into the tests' build: the wall clock as a test moves it, by the seconds that a file says. The file is named
/// by `GOALD_TEST_CLOCK`, and read each time.
#[cfg(feature = "test-clock")]
fn system() -> SystemTime {
    let file = std::env::var_os("GOALD_TEST_CLOCK");
    let moved: i64 = file
        .and_then(|path| std::fs::read_to_string(path).ok())
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or_default();
    let (now, by) = (SystemTime::now(), std::time::Duration::from_secs(moved.unsigned_abs()));
    let there = if moved < 0 { now.checked_sub(by) } else { now.checked_add(by) };
    there.unwrap_or(now)
}
