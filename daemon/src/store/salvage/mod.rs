//! Recovery: what a damaged log still holds and can prove, written into a new database. The source is only read.
//!
//! Every page of the file and of its write-ahead log is looked at, old versions too; rows that look like goald's are noted
//! (`harvest`), the hash chain decides which of them are what was written (`verify`), and these are written anew
//! (`rebuild`). No tree, no root page and no index is followed.

mod harvest;
mod image;
mod page;
mod rebuild;
mod record;
mod report;
#[cfg(test)]
mod tests;
mod verify;
mod wal;

use self::harvest::{Harvest, again, harvest};
use self::image::{Image, sizes};
use self::rebuild::Rebuild;
use super::error::StoreError;
use super::{Blob, anchor};
use goald_schema::id::SessionId;
use goald_schema::number::Position;
use goald_schema::recovery::Recovery;
use std::collections::BTreeSet;
use std::path::Path;
use uuid::Uuid;

/// Reads the database at `source` (with what stands beside it) and writes everything that can be proven into a new one.
/// The daemon must not be writing meanwhile.
///
/// # Errors
/// [`StoreError::Io`] where the source cannot be read or something stands at the target; those of the new database.
pub fn salvage(source: &Path, target: &Path) -> Result<Recovery, StoreError> {
    let rebuild = Rebuild::begin(target)?;
    let mut images = Vec::new();
    let mut found = Harvest::default();
    for size in sizes(source)? {
        let image = Image::open(source, size)?;
        harvest(&image, images.len(), &mut found);
        images.push(image);
    }
    let acknowledged = anchor::read(source)?;
    let mut taken = BTreeSet::new();
    let mut named = report::Named::default();
    let mut sessions = Vec::new();
    for (id, seen) in &found.sessions {
        let id = SessionId::from_uuid(Uuid::from_bytes(*id));
        let (proven, why) = verify::prefix(&images, seen, &taken);
        let mut session = report::session(id, seen, proven.len(), why);
        for candidate in proven {
            let event = rebuild.event(&images, candidate)?;
            taken.insert(candidate.position);
            report::note(&mut session, &event);
            named.note(&event);
        }
        named.end();
        sessions.push(session);
    }
    let mut blobs = 0;
    for (hash, location) in &found.blobs {
        if named.blobs.contains_key(hash)
            && let Some(bytes) = blob(&images, *location)
        {
            rebuild.blob(&Blob::new(bytes))?;
            named.blobs.remove(hash);
            blobs += 1;
        }
    }
    for (hash, missing) in &mut named.blobs {
        missing.damaged = found.damaged.contains(hash);
    }
    let newest = Position(taken.last().copied().unwrap_or(0));
    let known = newest.max(acknowledged.unwrap_or(Position(0)));
    let recovered: Vec<SessionId> = sessions.iter().filter(|part| part.events > 0).map(|part| part.session).collect();
    rebuild.finish(&recovered, known)?;
    Ok(Recovery {
        events: u64::try_from(taken.len()).unwrap_or(u64::MAX),
        sessions,
        newest,
        acknowledged,
        unaccounted: report::gaps(&taken, known.get()),
        blobs,
        missing_blobs: named.blobs.into_values().collect(),
        unnamed_blobs: u64::try_from(found.blobs.len()).unwrap_or(u64::MAX).saturating_sub(blobs),
        notes: notes(&images, &found),
    })
}

fn blob(images: &[Image], location: image::Location) -> Option<Vec<u8>> {
    let (_, record) = again(images, location)?;
    match record::values(&record)?.as_slice() {
        [record::Value::Text(_), record::Value::Blob(bytes)] => Some(bytes.to_vec()),
        _ => None,
    }
}

fn notes(images: &[Image], found: &Harvest) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(tail) = images.iter().map(|image| image.frames.tail).min().filter(|tail| *tail > 0) {
        notes.push(format!("{tail} frames of the write-ahead log are behind its last proven commit"));
    }
    if found.exhausted {
        notes.push("the search for long rows was ended: rows share more bytes than a log's can".to_owned());
    }
    notes
}
