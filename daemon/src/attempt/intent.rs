//! What the daemon intends with an attempt: to cut it, and why. Ordered, so that a stronger reason replaces a weaker
//! one by a comparison.

use goald_schema::event::{CancelCause, TimeoutKind};

/// A reason to cut an attempt. A person's or the daemon's own decision is stronger than a bound on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// A bound on its time is over.
    Timeout(TimeoutKind),
    /// It was cancelled.
    Cancel(CancelCause),
}

impl Intent {
    /// The one that stands: a cause over a timeout, the stronger of two causes, the first of two timeouts.
    #[must_use]
    pub fn stronger(current: Option<Self>, new: Self) -> Self {
        match (current, new) {
            (None, new) => new,
            (Some(Self::Cancel(old)), Self::Cancel(new)) => Self::Cancel(old.max(new)),
            (Some(Self::Timeout(_)), Self::Cancel(new)) => Self::Cancel(new),
            (Some(old), Self::Timeout(_)) => old,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_reason_stands_in_any_order() {
        let pause = Intent::Cancel(CancelCause::Pause);
        let clear = Intent::Cancel(CancelCause::Clear);
        let (idle, round) = (Intent::Timeout(TimeoutKind::Idle), Intent::Timeout(TimeoutKind::Round));
        for (current, new, stands) in [
            (None, idle, idle),
            (Some(idle), round, idle),
            (Some(idle), pause, pause),
            (Some(pause), idle, pause),
            (Some(pause), clear, clear),
            (Some(clear), pause, clear),
        ] {
            assert_eq!(Intent::stronger(current, new), stands, "{current:?} then {new:?}");
        }
    }
}
