//! The ladder of a cancellation: interrupt, terminate, kill. Only when to climb; the signals are sent elsewhere.

use crate::guard::launch::LadderTimes;
use std::time::Instant;

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rung {
    /// SIGINT to the agent's process group.
    Interrupt,
    /// SIGTERM to every process of the tree.
    Terminate,
    /// SIGKILL to every process of the tree, until nothing is left.
    Kill,
}

/// A cancellation under way.
pub struct Ladder {
    times: LadderTimes,
    /// The next rung and when it is due; `None` on the last.
    next: Option<(Rung, Instant)>,
}

impl Ladder {
    /// Begins: the interrupt is to be sent now.
    pub fn begin(times: LadderTimes, now: Instant) -> (Self, Rung) {
        (Self { times, next: Some((Rung::Terminate, now + times.interrupt)) }, Rung::Interrupt)
    }

    /// When to climb.
    pub fn due(&self) -> Option<Instant> {
        self.next.map(|(_, due)| due)
    }

    /// The next rung, if it is due.
    pub fn climb(&mut self, now: Instant) -> Option<Rung> {
        let (rung, _) = self.next.filter(|(_, due)| *due <= now)?;
        self.next = (rung == Rung::Terminate).then(|| (Rung::Kill, now + self.times.terminate));
        Some(rung)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_rung_waits_its_own_time_and_the_last_has_none() {
        let times = LadderTimes { interrupt: Duration::from_secs(5), terminate: Duration::from_secs(7) };
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let (mut ladder, first) = Ladder::begin(times, start);
        assert_eq!(first, Rung::Interrupt);
        assert_eq!((ladder.climb(at(4)), ladder.due()), (None, Some(at(5))));
        assert_eq!(ladder.climb(at(6)), Some(Rung::Terminate));
        assert_eq!((ladder.climb(at(12)), ladder.due()), (None, Some(at(13))));
        assert_eq!(ladder.climb(at(13)), Some(Rung::Kill));
        assert_eq!((ladder.climb(at(99)), ladder.due()), (None, None));
    }
}
