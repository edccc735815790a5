//! Structural damage of the database, remembered: once it was seen nothing is written any more, and reads go on as they can.

use super::error::StoreError;
use super::structure::FileIdentity;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// Shared by writer and readers.
#[derive(Clone, Default, Debug)]
pub(super) struct Health {
    damage: Arc<OnceLock<StoreError>>,
    /// Cancelled when it is seen.
    seen: CancellationToken,
    /// The database, to notice that it was taken away.
    file: Option<Arc<FileIdentity>>,
}

impl Health {
    /// Of the database that has this path now.
    pub fn of(path: &Path) -> Self {
        Self { damage: Arc::default(), seen: CancellationToken::new(), file: Some(Arc::new(FileIdentity::of(path))) }
    }

    /// Looks whether anything is known that forbids to write, or to take what has the database's name for it.
    ///
    /// # Errors
    /// The first damage that was seen.
    pub fn check(&self) -> Result<(), StoreError> {
        self.look();
        self.damage.get().cloned().map_or(Ok(()), Err)
    }

    /// Looks whether the file is still there.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`].
    pub fn check_file(&self) -> Result<(), StoreError> {
        self.file.as_ref().map_or(Ok(()), |file| file.check())
    }

    /// Cancelled once damage was seen.
    pub fn seen(&self) -> CancellationToken {
        self.seen.clone()
    }

    fn look(&self) {
        if let Err(error) = self.check_file() {
            self.note(&error);
        }
    }

    /// Remembers an error that means structural damage; others are none of its business.
    pub fn note(&self, error: &StoreError) {
        if matches!(error, StoreError::Corrupt { .. }) && self.damage.set(error.clone()).is_ok() {
            tracing::error!(%error, "the log takes no more changes; goal doctor explains");
            self.seen.cancel();
        }
    }

    /// The first damage that was seen.
    pub fn damage(&self) -> Option<&StoreError> {
        self.look();
        self.damage.get()
    }
}
