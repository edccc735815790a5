//! The bounds on an attempt's time. By the monotonic clock, which stands still while the machine sleeps.

use super::run::Bounds;
use goald_schema::event::TimeoutKind;
use std::future::pending;
use tokio::time::{Instant, sleep_until};

/// The two timers of an attempt. The first to run out is told once; then both are over.
pub struct Timers {
    bounds: Bounds,
    begun: Instant,
    heard: Instant,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Over,
}

impl Timers {
    pub fn new(begun: Instant, bounds: Bounds) -> Self {
        Self { bounds, begun, heard: begun, state: State::Running }
    }

    /// Something was printed.
    pub fn heard(&mut self, now: Instant) {
        self.heard = now;
    }

    /// Waits for the first bound to run out. May be dropped and called again.
    pub async fn expired(&mut self) -> TimeoutKind {
        if self.state == State::Over {
            return pending().await;
        }
        let ends =
            [(self.begun, self.bounds.total, TimeoutKind::Round), (self.heard, self.bounds.idle, TimeoutKind::Idle)];
        // A bound too far away to be a time is none.
        let due = ends.into_iter().filter_map(|(from, bound, kind)| Some((from.checked_add(bound)?, kind)));
        let Some((at, kind)) = due.min_by_key(|(at, _)| *at) else { return pending().await };
        sleep_until(at).await;
        self.state = State::Over;
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn timers(total: u64, idle: u64) -> Timers {
        let bounds = Bounds { total: Duration::from_secs(total), idle: Duration::from_secs(idle), output_cap: 0 };
        Timers::new(Instant::now(), bounds)
    }

    #[tokio::test]
    async fn silence_runs_out_before_the_whole() {
        assert_eq!(timers(1_000, 0).expired().await, TimeoutKind::Idle);
    }

    #[tokio::test]
    async fn the_whole_runs_out_however_much_is_printed() {
        let mut timers = timers(0, 1_000);
        timers.heard(Instant::now());
        assert_eq!(timers.expired().await, TimeoutKind::Round);
    }
}
