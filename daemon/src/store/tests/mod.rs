//! The store's promises, one file a subject.

mod appends;
mod blobs;
mod commits;
mod damage;
mod files;
mod follow;
mod inspect;
mod purge;
mod sessions;
pub(super) mod support;
