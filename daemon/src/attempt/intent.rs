//! What the daemon itself intends with an attempt: the strongest wish so far.

use goald_schema::event::{CancelCause, TimeoutKind};
use tokio::sync::watch;

/// A wish to cut an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// It took too long.
    Timeout(TimeoutKind),
    /// Somebody stops it.
    Cancel(CancelCause),
}

/// The wish, shared between whoever wishes and whoever carries it out.
#[derive(Clone, Debug)]
pub struct Wish(watch::Sender<Option<Intent>>);

impl Wish {
    /// None yet.
    pub fn none() -> Self {
        Self(watch::channel(None).0)
    }

    /// Wishes. A stop is stronger than a time-out, and a stronger stop than a weaker one.
    pub fn strengthen(&self, intent: Intent) {
        self.0.send_if_modified(|current| {
            let stronger = match (*current, intent) {
                (None, _) | (Some(Intent::Timeout(_)), Intent::Cancel(_)) => true,
                (Some(Intent::Cancel(before)), Intent::Cancel(now)) => now > before,
                (Some(_), Intent::Timeout(_)) => false,
            };
            if stronger {
                *current = Some(intent);
            }
            stronger
        });
    }

    /// The wish so far.
    pub fn get(&self) -> Option<Intent> {
        *self.0.borrow()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_wish_stands() {
        let wish = Wish::none();
        wish.strengthen(Intent::Timeout(TimeoutKind::Idle));
        wish.strengthen(Intent::Timeout(TimeoutKind::Round));
        assert_eq!(wish.get(), Some(Intent::Timeout(TimeoutKind::Idle)));
        wish.strengthen(Intent::Cancel(CancelCause::Clear));
        wish.strengthen(Intent::Cancel(CancelCause::Pause));
        assert_eq!(wish.get(), Some(Intent::Cancel(CancelCause::Clear)));
        wish.strengthen(Intent::Cancel(CancelCause::DaemonStop));
        assert_eq!(wish.get(), Some(Intent::Cancel(CancelCause::DaemonStop)));
    }
}
