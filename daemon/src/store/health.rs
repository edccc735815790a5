//! Structural damage of the database, remembered: once it was seen nothing is written any more, and reads go on as they can.

use super::error::StoreError;
use std::sync::{Arc, OnceLock};

/// Shared by writer and readers.
#[derive(Clone, Default, Debug)]
pub(super) struct Health {
    damage: Arc<OnceLock<StoreError>>,
}

impl Health {
    /// Remembers an error that means structural damage; others are none of its business.
    pub fn note(&self, error: &StoreError) {
        if matches!(error, StoreError::Corrupt { .. }) && self.damage.set(error.clone()).is_ok() {
            tracing::error!(%error, "the log takes no more changes; goal doctor explains");
        }
    }

    /// The first damage that was seen.
    pub fn damage(&self) -> Option<&StoreError> {
        self.damage.get()
    }
}
