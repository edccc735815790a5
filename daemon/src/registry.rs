//! Which sessions there are, and their tasks: loaded when first needed.

use crate::fresh;
use crate::session::{Loaded, SessionHandle, load, spawn};
use crate::shared::Shared;
use crate::store::{Listed, StoreError};
use goald_core::State;
use goald_schema::id::SessionId;
use goald_schema::number::Position;
use goald_schema::{ErrorCode, WireError};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OnceCell;

/// A session's place: workspace and name.
pub type Place = (String, String);

/// Every session of this daemon.
pub struct Registry {
    shared: Arc<Shared>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// By their numbers: in the order they were opened or first asked for. What is not open yet is not listed.
    order: BTreeMap<u64, SessionId>,
    places: HashMap<Arc<Place>, SessionId>,
    sessions: HashMap<SessionId, Entry>,
    /// The tasks that run: whoever stops the daemon finds every one here.
    tasks: HashMap<SessionId, SessionHandle>,
    stopping: Stopping,
    next: u64,
    /// Why nobody knows which sessions there are: then every place may be taken.
    unlisted: Option<WireError>,
}

/// Whether the daemon is on its way out: no session comes into memory then, since nobody would tell it to stop.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Stopping {
    #[default]
    No,
    Yes,
}

struct Entry {
    number: u64,
    /// Unknown where its beginning is gone.
    place: Option<Arc<Place>>,
    /// The task, or why there is none. Filled once, outside the lock: a session that loads slowly holds up no other.
    task: Arc<OnceCell<Result<SessionHandle, WireError>>>,
    /// How many requests may still open it. One that was never opened goes with the last of them.
    openers: usize,
}

impl Entry {
    /// Whether its first event is still to come.
    fn is_unopened(&self) -> bool {
        self.task.get().is_some_and(|task| task.as_ref().is_ok_and(|handle| handle.view().borrow().opened.is_none()))
    }
}

/// A session that a request may open. Dropped without that, a new one leaves nothing behind.
pub struct Prepared<'a> {
    /// The session.
    pub session: SessionHandle,
    registry: &'a Registry,
}

impl Drop for Prepared<'_> {
    fn drop(&mut self) {
        self.registry.lock().leave(&self.session);
    }
}

impl Registry {
    /// Reads which sessions there are, but none of them. Blocking. Where structural damage hides them, whoever asks for a
    /// place or a list is told so; a session whose beginning is damaged is known by its id, and by its place if that is
    /// still legible.
    ///
    /// # Errors
    /// [`StoreError`], if it may work the next time.
    pub fn open(shared: Arc<Shared>) -> Result<Self, StoreError> {
        let mut inner = Inner::default();
        match shared.store.sessions() {
            Ok(sessions) => sessions.into_iter().for_each(|(id, listed)| inner.list(id, listed)),
            Err(error @ StoreError::Corrupt { .. }) => inner.unlisted = Some(error.into()),
            Err(error) => return Err(error),
        }
        Ok(Self { shared, inner: Mutex::new(inner) })
    }

    /// The session of a place, if it was ever opened.
    ///
    /// # Errors
    /// `store-damaged`, where nobody knows.
    pub fn find(&self, place: &Place) -> Result<Option<SessionId>, WireError> {
        let inner = self.lock();
        inner.is_listed()?;
        let id = inner.places.get(place);
        let opened = |id: &&SessionId| inner.sessions.get(id).is_some_and(|entry| !entry.is_unopened());
        Ok(id.filter(opened).copied())
    }

    /// The session of a place; a new one, not yet opened, where there is none. It comes to be with its first event.
    ///
    /// # Errors
    /// `log-damaged`, `store-damaged`, `store-failed`, `stopping`.
    pub async fn find_or_prepare(&self, place: Place) -> Result<Prepared<'_>, WireError> {
        let known = {
            let mut inner = self.lock();
            inner.is_listed()?;
            match inner.places.get(&place).copied() {
                Some(id) => id,
                None => return Ok(Prepared { session: self.prepare(&mut inner, place)?, registry: self }),
            }
        };
        let session = self.get(known).await?;
        // It may have been given up meanwhile: then it is prepared anew.
        let mut inner = self.lock();
        let session = match inner.sessions.get_mut(&known) {
            Some(entry) => {
                entry.openers += 1;
                session
            }
            None => self.prepare(&mut inner, place)?,
        };
        Ok(Prepared { session, registry: self })
    }

    fn prepare(&self, inner: &mut Inner, place: Place) -> Result<SessionHandle, WireError> {
        inner.admit()?;
        let id = SessionId::from_uuid(fresh::uuid());
        let empty = Loaded { state: State::default(), position: Position(0) };
        let handle = spawn(Arc::clone(&self.shared), id, empty);
        let place = Arc::new(place);
        inner.places.insert(Arc::clone(&place), id);
        inner.insert(id, Some(place), OnceCell::new_with(Some(Ok(handle.clone())))).openers = 1;
        inner.tasks.insert(id, handle.clone());
        Ok(handle)
    }

    /// A session by id.
    ///
    /// # Errors
    /// `no-session`, `log-damaged`, `store-failed`, `stopping`.
    pub async fn get(&self, id: SessionId) -> Result<SessionHandle, WireError> {
        let task = self.lock().sessions.get(&id).map(|entry| Arc::clone(&entry.task));
        let task = task.ok_or_else(|| {
            WireError::new(ErrorCode::NoSession, format!("there is no session {id}"))
                .hint("goal list shows the sessions there are")
        })?;
        task.get_or_try_init(|| self.load(id)).await?.clone()
    }

    /// The ids of a page of sessions after `after`, in the order they were opened, and whether there are more.
    ///
    /// # Errors
    /// `store-damaged`, where nobody knows.
    pub fn page(&self, after: Option<SessionId>, size: usize) -> Result<(Vec<SessionId>, bool), WireError> {
        let inner = self.lock();
        inner.is_listed()?;
        let after = after.and_then(|id| inner.sessions.get(&id)).map(|entry| entry.number);
        let mut rest = inner.order.range(after.map_or(0, |number| number.saturating_add(1))..);
        let page: Vec<SessionId> = rest.by_ref().take(size).map(|(_, id)| *id).collect();
        Ok((page, rest.next().is_some()))
    }

    /// The place of a session, if it is known.
    pub fn place_of(&self, id: SessionId) -> Option<Place> {
        self.lock().sessions.get(&id)?.place.as_deref().cloned()
    }

    /// The sessions whose task runs, for good: from now on none is added, and whoever wants one hears `stopping`.
    pub fn close(&self) -> Vec<SessionHandle> {
        let mut inner = self.lock();
        inner.stopping = Stopping::Yes;
        inner.tasks.values().cloned().collect()
    }

    /// The sessions whose task runs.
    pub fn running(&self) -> Vec<SessionHandle> {
        self.lock().tasks.values().cloned().collect()
    }

    /// How many sessions are in memory.
    pub fn loaded(&self) -> usize {
        self.lock().tasks.len()
    }

    /// Loads a session. What may work the next time is an error; what will not is kept.
    async fn load(&self, id: SessionId) -> Result<Result<SessionHandle, WireError>, WireError> {
        let store = Arc::clone(&self.shared.store);
        let loaded = tokio::task::spawn_blocking(move || load(&*store, id)).await;
        let loaded = loaded.map_err(|error| WireError::new(ErrorCode::Internal, error.to_string()))?;
        match loaded {
            Ok(loaded) => {
                let mut inner = self.lock();
                inner.admit()?;
                let handle = spawn(Arc::clone(&self.shared), id, loaded);
                inner.tasks.insert(id, handle.clone());
                Ok(Ok(handle))
            }
            Err(error) => {
                tracing::error!(session = %id, %error, "a session cannot be loaded");
                if matches!(error, StoreError::Damaged { .. }) { Ok(Err(error.into())) } else { Err(error.into()) }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Whole at every point where a panic could happen.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn admit(&self) -> Result<(), WireError> {
        match self.stopping {
            Stopping::No => Ok(()),
            Stopping::Yes => {
                Err(WireError::new(ErrorCode::Stopping, "the daemon is stopping").hint("try again in a moment"))
            }
        }
    }

    fn is_listed(&self) -> Result<(), WireError> {
        self.unlisted.clone().map_or(Ok(()), Err)
    }

    /// Takes up a stored session. A damaged one keeps a place that is nobody else's: no new one is opened in it.
    fn list(&mut self, id: SessionId, listed: Listed) {
        match listed {
            Listed::Opened(opened) => {
                let place = Arc::new((opened.workspace, opened.name));
                self.places.insert(Arc::clone(&place), id);
                self.insert(id, Some(place), OnceCell::new());
            }
            Listed::Damaged { place, error } => {
                tracing::error!(session = %id, %error, "a session is damaged");
                let place = place.map(Arc::new);
                if let Some(place) = &place {
                    self.places.entry(Arc::clone(place)).or_insert(id);
                }
                self.insert(id, place, OnceCell::new_with(Some(Err(error.into()))));
            }
        }
    }

    fn insert(
        &mut self,
        id: SessionId,
        place: Option<Arc<Place>>,
        task: OnceCell<Result<SessionHandle, WireError>>,
    ) -> &mut Entry {
        let number = self.next;
        self.next += 1;
        self.order.insert(number, id);
        self.sessions.entry(id).or_insert(Entry { number, place, task: Arc::new(task), openers: 0 })
    }

    /// One request less may open it.
    fn leave(&mut self, session: &SessionHandle) {
        let Some(entry) = self.sessions.get_mut(&session.id) else { return };
        entry.openers = entry.openers.saturating_sub(1);
        if entry.openers == 0 && entry.is_unopened() {
            self.order.remove(&entry.number);
            entry.place.as_ref().map(|place| self.places.remove(place));
            self.sessions.remove(&session.id);
            self.tasks.remove(&session.id);
            session.leave();
        }
    }
}
