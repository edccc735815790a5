//! Tokens of attempts: in memory only. A running attempt's gives its rights; an ended one's gives none, and is remembered for
//! a while, so that what is tried with it can be recorded where it belongs.

use goald_schema::id::{AttemptId, SessionId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many ended attempts are remembered.
const ENDED: usize = 1_024;

/// Whose a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    /// The attempt's session.
    pub session: SessionId,
    /// The attempt.
    pub attempt: AttemptId,
    /// The guard that holds its processes: number and start time.
    pub guard: (u32, u64),
}

/// What a token turned out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// A running attempt's.
    Live(Holder),
    /// An ended attempt's, of not long ago.
    Ended(Holder),
    /// Nobody's that is known.
    Unknown,
}

/// Which attempt a token belongs to, and which guard holds which attempt.
#[derive(Debug, Default)]
pub struct Tokens {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    live: HashMap<String, Holder>,
    ended: VecDeque<(String, Holder)>,
}

impl Tokens {
    /// Makes a token known, before its attempt can use it.
    pub fn issue(&self, token: String, holder: Holder) {
        self.inner().live.insert(token, holder);
    }

    /// Whose it is.
    pub fn shown(&self, token: &str) -> Shown {
        let inner = self.inner();
        if let Some(holder) = inner.live.get(token) {
            return Shown::Live(*holder);
        }
        let ended = inner.ended.iter().find(|(of, _)| of == token);
        ended.map_or(Shown::Unknown, |(_, holder)| Shown::Ended(*holder))
    }

    /// The running attempt that this guard holds.
    pub fn held_by(&self, pid: u32, start_ticks: u64) -> Option<Holder> {
        self.inner().live.values().find(|holder| holder.guard == (pid, start_ticks)).copied()
    }

    /// The session of an attempt that runs, or ran not long ago.
    pub fn session_of(&self, attempt: AttemptId) -> Option<SessionId> {
        let inner = self.inner();
        let mut known = inner.live.values().chain(inner.ended.iter().map(|(_, holder)| holder));
        known.find(|holder| holder.attempt == attempt).map(|holder| holder.session)
    }

    /// An attempt is over: its token gives nothing any more.
    pub fn revoke(&self, attempt: AttemptId) {
        let mut inner = self.inner();
        let Inner { live, ended } = &mut *inner;
        ended.extend(live.extract_if(|_, holder| holder.attempt == attempt));
        while ended.len() > ENDED {
            ended.pop_front();
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn holder(n: u128) -> Holder {
        let guard = (u32::try_from(n).expect("small"), 1);
        let uuid = Uuid::from_u128(n);
        Holder { session: SessionId::from_uuid(uuid), attempt: AttemptId::from_uuid(uuid), guard }
    }

    #[test]
    fn a_token_lives_as_long_as_its_attempt_and_is_known_as_ended_afterwards() {
        let tokens = Tokens::default();
        tokens.issue("a".to_owned(), holder(1));
        tokens.issue("b".to_owned(), holder(2));
        assert_eq!((tokens.shown("a"), tokens.held_by(1, 1)), (Shown::Live(holder(1)), Some(holder(1))));
        tokens.revoke(holder(1).attempt);
        assert_eq!((tokens.shown("a"), tokens.held_by(1, 1)), (Shown::Ended(holder(1)), None));
        assert_eq!(tokens.session_of(holder(1).attempt), Some(holder(1).session));
        assert_eq!((tokens.shown("b"), tokens.shown("c")), (Shown::Live(holder(2)), Shown::Unknown));
        assert_eq!(tokens.held_by(2, 9), None, "the same number, started at another time");
    }

    #[test]
    fn no_more_than_a_bounded_number_of_ended_ones_is_remembered() {
        let tokens = Tokens::default();
        for n in 0..=1_024 {
            tokens.issue(n.to_string(), holder(n));
            tokens.revoke(holder(n).attempt);
        }
        assert_eq!((tokens.shown("0"), tokens.shown("1")), (Shown::Unknown, Shown::Ended(holder(1))));
    }
}
