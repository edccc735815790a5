//! Tokens of running attempts: in memory only, gone with the attempt.

use goald_schema::id::{AttemptId, SessionId};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Which attempt a token belongs to, and the guards whose trees are agents' or checks'.
#[derive(Debug, Default)]
pub struct Tokens {
    live: Mutex<HashMap<String, (SessionId, AttemptId)>>,
}

impl Tokens {
    /// Makes a token known, before its attempt can use it.
    pub fn issue(&self, token: String, session: SessionId, attempt: AttemptId) {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).insert(token, (session, attempt));
    }

    /// Whose it is, while its attempt runs.
    pub fn attempt(&self, token: &str) -> Option<(SessionId, AttemptId)> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).get(token).copied()
    }

    /// Forgets an attempt's token.
    pub fn revoke(&self, attempt: AttemptId) {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, (_, of)| *of != attempt);
    }
}
