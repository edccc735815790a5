//! Which sessions there are, and their tasks: loaded when first needed.

use crate::fresh;
use crate::session::{Loaded, SessionHandle, load, spawn};
use crate::shared::Shared;
use crate::store::StoreError;
use goald_core::State;
use goald_schema::id::SessionId;
use goald_schema::number::Position;
use goald_schema::{ErrorCode, WireError};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// A session's place: workspace and name.
pub type Place = (String, String);

/// Every session of this daemon.
pub struct Registry {
    shared: Arc<Shared>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// In the order they were opened; sessions that were asked for but never opened come last and are not listed.
    order: Vec<SessionId>,
    places: HashMap<Place, SessionId>,
    tasks: HashMap<SessionId, Slot>,
    stopping: Stopping,
}

/// Whether the daemon is on its way out: no session comes into memory then, since nobody would tell it to stop.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Stopping {
    #[default]
    No,
    Yes,
}

/// A session in memory: its task, or why it has none.
#[derive(Clone)]
enum Slot {
    Task(SessionHandle),
    Damaged(WireError),
}

impl Inner {
    fn running(&self) -> Vec<SessionHandle> {
        let task = |slot: &Slot| match slot {
            Slot::Task(handle) => Some(handle.clone()),
            Slot::Damaged(_) => None,
        };
        self.tasks.values().filter_map(task).collect()
    }

    fn admit(&self) -> Result<(), WireError> {
        match self.stopping {
            Stopping::No => Ok(()),
            Stopping::Yes => {
                Err(WireError::new(ErrorCode::Stopping, "the daemon is stopping").hint("try again in a moment"))
            }
        }
    }
}

impl Registry {
    /// Reads which sessions there are, but none of them. Blocking.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(shared: Arc<Shared>) -> Result<Self, StoreError> {
        let mut inner = Inner::default();
        for (id, opened) in shared.store.sessions()? {
            inner.places.insert((opened.workspace, opened.name), id);
            inner.order.push(id);
        }
        Ok(Self { shared, inner: Mutex::new(inner) })
    }

    /// The session of a place, if it was ever opened.
    pub async fn find(&self, place: &Place) -> Option<SessionId> {
        self.inner.lock().await.places.get(place).copied()
    }

    /// The session of a place; a new one, not yet opened, where there is none. It comes to be with its first event.
    ///
    /// # Errors
    /// `log-damaged`, `store-failed`, `stopping`.
    pub async fn find_or_prepare(&self, place: Place) -> Result<SessionHandle, WireError> {
        let mut inner = self.inner.lock().await;
        if let Some(id) = inner.places.get(&place).copied() {
            return self.get_locked(&mut inner, id).await;
        }
        inner.admit()?;
        let id = SessionId::from_uuid(fresh::uuid());
        let empty = Loaded { state: State::default(), position: Position(0) };
        let handle = spawn(Arc::clone(&self.shared), id, empty);
        inner.places.insert(place, id);
        inner.order.push(id);
        inner.tasks.insert(id, Slot::Task(handle.clone()));
        Ok(handle)
    }

    /// A session by id.
    ///
    /// # Errors
    /// `no-session`, `log-damaged`, `store-failed`, `stopping`.
    pub async fn get(&self, id: SessionId) -> Result<SessionHandle, WireError> {
        let mut inner = self.inner.lock().await;
        if !inner.order.contains(&id) {
            return Err(WireError::new(ErrorCode::NoSession, format!("there is no session {id}"))
                .hint("goal list shows the sessions there are"));
        }
        self.get_locked(&mut inner, id).await
    }

    /// The ids of a page of sessions after `after`, in the order they were opened, and whether there are more.
    pub async fn page(&self, after: Option<SessionId>, size: usize) -> (Vec<SessionId>, bool) {
        let inner = self.inner.lock().await;
        let start = after.and_then(|id| inner.order.iter().position(|other| *other == id)).map_or(0, |at| at + 1);
        let page: Vec<SessionId> = inner.order.iter().skip(start).take(size).copied().collect();
        let more = start + page.len() < inner.order.len();
        (page, more)
    }

    /// The place of a session that cannot be loaded, for the list.
    pub async fn place_of(&self, id: SessionId) -> Option<Place> {
        let inner = self.inner.lock().await;
        inner.places.iter().find(|(_, of)| **of == id).map(|(place, _)| place.clone())
    }

    /// The sessions whose task runs.
    pub async fn running(&self) -> Vec<SessionHandle> {
        self.inner.lock().await.running()
    }

    /// The sessions whose task runs, for good: from now on none is added, and whoever wants one hears `stopping`.
    pub async fn close(&self) -> Vec<SessionHandle> {
        let mut inner = self.inner.lock().await;
        inner.stopping = Stopping::Yes;
        inner.running()
    }

    async fn get_locked(&self, inner: &mut Inner, id: SessionId) -> Result<SessionHandle, WireError> {
        match inner.tasks.get(&id) {
            Some(Slot::Task(handle)) => return Ok(handle.clone()),
            Some(Slot::Damaged(error)) => return Err(error.clone()),
            None => {}
        }
        inner.admit()?;
        let store = Arc::clone(&self.shared.store);
        let loaded = tokio::task::spawn_blocking(move || load(&*store, id)).await;
        let loaded = loaded.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?;
        match loaded {
            Ok(loaded) => {
                let handle = spawn(Arc::clone(&self.shared), id, loaded);
                inner.tasks.insert(id, Slot::Task(handle.clone()));
                Ok(handle)
            }
            Err(error) => {
                tracing::error!(session = %id, %error, "a session cannot be loaded");
                let damaged = matches!(error, StoreError::Damaged { .. });
                let error = WireError::from(error);
                if damaged {
                    inner.tasks.insert(id, Slot::Damaged(error.clone()));
                }
                Err(error)
            }
        }
    }
}
