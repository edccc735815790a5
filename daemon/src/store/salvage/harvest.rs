//! Walks every page of every version and notes where each row of goald's stands. Proves nothing.

use super::image::{Image, Location};
use super::record::{Row, is_ours, row, shape, values};
use goald_schema::id::BlobHash;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One row that may be an event's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub position: u64,
    /// Of the whole record: equal copies count once.
    pub digest: [u8; 32],
    pub location: Location,
}

/// What was seen of one session.
#[derive(Default, Debug)]
pub(super) struct Seen {
    pub events: BTreeMap<i64, Vec<Candidate>>,
    pub head: Option<i64>,
    /// What the index says about positions.
    pub places: HashMap<i64, BTreeSet<i64>>,
}

/// Everything that was seen.
#[derive(Default, Debug)]
pub(super) struct Harvest {
    pub sessions: BTreeMap<[u8; 16], Seen>,
    pub blobs: BTreeMap<BlobHash, Location>,
    /// Blobs of which only other bytes were seen.
    pub damaged: BTreeSet<BlobHash>,
    pub exhausted: bool,
}

/// Looks through one image.
pub(super) fn harvest(image: &Image, index: usize, found: &mut Harvest) {
    let mut budget = image.budget();
    for place in image.places() {
        let page = image.page(place);
        for (number, cell) in image.cells(&page, place).iter().enumerate() {
            if !shape(cell.local, cell.total).is_some_and(|(kinds, _)| is_ours(&kinds)) {
                continue;
            }
            let views = if cell.overflow.is_some() { Image::VIEWS } else { 1 };
            for view in 0..views {
                let Some(record) = image.record(cell, view, &mut budget) else { continue };
                let Some(values) = values(&record) else { continue };
                let location = Location { place, cell: number, view, image: index };
                if let Some(row) = row(cell.rowid, &values) {
                    found.note(&row, *blake3::hash(&record).as_bytes(), location);
                }
            }
        }
    }
    found.exhausted |= budget < 65_536;
}

impl Harvest {
    fn note(&mut self, row: &Row<'_>, digest: [u8; 32], location: Location) {
        match row {
            Row::Event(stored) => {
                let Ok(session) = <[u8; 16]>::try_from(stored.link.session) else { return };
                let candidates = self.sessions.entry(session).or_default().events.entry(stored.link.seq).or_default();
                let position = stored.position.get();
                if !candidates.iter().any(|known| known.digest == digest && known.position == position) {
                    candidates.push(Candidate { position, digest, location });
                }
            }
            Row::Head { session, seq } => {
                let head = &mut self.sessions.entry(*session).or_default().head;
                *head = (*head).max(Some(*seq));
            }
            Row::Place { session, seq, position } => {
                self.sessions.entry(*session).or_default().places.entry(*seq).or_default().insert(*position);
            }
            Row::Blob { hash, bytes } => {
                let Ok(hash) = BlobHash::try_from((*hash).to_owned()) else { return };
                if BlobHash::from_bytes(blake3::hash(bytes).as_bytes()) == hash {
                    self.blobs.entry(hash).or_insert(location);
                } else {
                    self.damaged.insert(hash);
                }
            }
        }
    }
}

/// Reads a row again.
pub(super) fn again(images: &[Image], location: Location) -> Option<(Option<i64>, Vec<u8>)> {
    let image = images.get(location.image)?;
    let page = image.page(location.place);
    let cells = image.cells(&page, location.place);
    let cell = cells.get(location.cell)?;
    let mut budget = u64::MAX;
    Some((cell.rowid, image.record(cell, location.view, &mut budget)?))
}
