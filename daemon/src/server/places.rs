//! How many connections there may be. No agent can take the last ones: they are for people, who must be able to pause.

use crate::peer::Peer;
use crate::tokens::Tokens;
use goald_schema::actor::{Actor, Via};
use goald_schema::{ErrorCode, WireError};
use rustix::process::{Resource, getrlimit};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// At most this many connections.
const MOST: usize = 512;

/// The places for connections.
#[derive(Debug)]
pub struct Places {
    free: Arc<Semaphore>,
    all: usize,
}

impl Places {
    /// As many as half of this process's descriptors allow: the other half is for what the daemon itself does.
    pub fn of_this_process() -> Self {
        let descriptors = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok());
        let all = descriptors.map_or(MOST, |limit| (limit / 2).clamp(1, MOST));
        Self { free: Arc::new(Semaphore::new(all)), all }
    }

    /// A place, until it is dropped.
    ///
    /// # Errors
    /// `too-many`.
    pub fn take(&self, peer: Option<&Peer>, tokens: &Tokens) -> Result<OwnedSemaphorePermit, WireError> {
        let scarce = self.free.available_permits() <= self.all / 2;
        if scarce && !peer.is_some_and(|peer| peer.actor(Via::Cli, None, None, tokens) == Actor::Human) {
            return Err(too_many(self.all / 2));
        }
        Arc::clone(&self.free).try_acquire_owned().map_err(|_| too_many(self.all))
    }
}

fn too_many(all: usize) -> WireError {
    WireError::new(ErrorCode::TooMany, format!("{all} connections are open already"))
        .hint("close some; one that never greets is closed after ten seconds")
}
