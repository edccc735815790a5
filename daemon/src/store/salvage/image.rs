//! The bytes of a damaged database: its file and its write-ahead log, read page by page in one of several views.

use super::super::error::StoreError;
use super::page::{Cell, cells, u32_at};
use super::wal::{self, Frames};
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// Where a page begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    in_wal: bool,
    at: u64,
    first: bool,
}

/// A record that can be read again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Location {
    pub place: Place,
    pub cell: usize,
    pub view: usize,
    pub image: usize,
}

/// One database, cut into pages of one size.
#[derive(Debug)]
pub(super) struct Image {
    file: File,
    wal: Option<File>,
    length: u64,
    /// The largest record that the files can hold, in bytes.
    largest: usize,
    size: usize,
    views: [HashMap<u32, u64>; 3],
    pub frames: Frames,
}

/// The write-ahead log of a database.
pub(super) fn wal_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// The page sizes that the files may have: what they say, and what goald makes.
pub(super) fn sizes(source: &Path) -> Result<Vec<usize>, StoreError> {
    let file = File::open(source).map_err(|error| StoreError::io(source, &error))?;
    let mut header = [0; 20];
    let mut sizes = vec![4096];
    if file.read_exact_at(&mut header, 0).is_ok() {
        let said = u32_at(&header, 14).unwrap_or(0) & 0xffff;
        sizes.push(if said == 1 { 65_536 } else { usize::try_from(said).unwrap_or(0) });
    }
    sizes.extend(File::open(wal_path(source)).ok().and_then(|wal| wal::page_size(&wal)));
    sizes.retain(|size| size.is_power_of_two() && (512..=65_536).contains(size));
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

impl Image {
    /// Opens the files for reading.
    pub fn open(source: &Path, size: usize) -> Result<Self, StoreError> {
        let failed = |error: std::io::Error| StoreError::io(source, &error);
        let file = File::open(source).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let path = wal_path(source);
        let wal = match File::open(&path) {
            Ok(wal) => Some(wal),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(StoreError::io(&path, &error)),
        };
        let wal_length = wal.as_ref().map_or(Ok(0), |wal| wal.metadata().map(|data| data.len())).map_err(failed)?;
        let frames = wal.as_ref().map(|wal| wal::frames(wal, wal_length, size)).unwrap_or_default();
        let newest = frames.all.iter().copied().collect();
        let views = [frames.committed.clone(), HashMap::new(), newest];
        let largest = usize::try_from(length.saturating_add(wal_length)).unwrap_or(usize::MAX);
        Ok(Self { file, wal, length, largest, size, views, frames })
    }

    /// Every page of both files, old versions too.
    pub fn places(&self) -> impl Iterator<Item = Place> + '_ {
        let step = u64::try_from(self.size).unwrap_or(u64::MAX);
        let pages =
            (0..self.length.div_ceil(step)).map(move |page| Place { in_wal: false, at: page * step, first: page == 0 });
        pages.chain(self.frames.all.iter().map(|(page, at)| Place { in_wal: true, at: *at, first: *page == 1 }))
    }

    /// The bytes of a page; what a cut file lacks of it is zero.
    pub fn page(&self, place: Place) -> Vec<u8> {
        let mut page = vec![0; self.size];
        let file = if place.in_wal { self.wal.as_ref() } else { Some(&self.file) };
        let mut filled = 0;
        while let (Some(file), Some(rest)) = (file, page.get_mut(filled..).filter(|rest| !rest.is_empty())) {
            match file.read_at(rest, place.at.saturating_add(u64::try_from(filled).unwrap_or(0))) {
                Ok(0) | Err(_) => break,
                Ok(read) => filled += read,
            }
        }
        page
    }

    /// The cells of a page.
    pub fn cells<'page>(&self, page: &'page [u8], place: Place) -> Vec<Cell<'page>> {
        cells(page, place.first, self.largest)
    }

    /// How many views there are for the rest of a record: what is committed, the file alone, the newest frames.
    pub const VIEWS: usize = 3;

    /// A whole record; its rest is looked for in a view. A chain cannot be longer than the record needs.
    pub fn record(&self, cell: &Cell<'_>, view: usize, budget: &mut u64) -> Option<Vec<u8>> {
        let mut record = cell.local.to_vec();
        let mut next = cell.overflow;
        while record.len() < cell.total {
            let page = self.page(self.place(next?, view)?);
            *budget = budget.checked_sub(u64::try_from(page.len()).ok()?)?;
            next = Some(u32_at(&page, 0)?);
            let rest = page.get(4..)?;
            record.extend_from_slice(rest.get(..rest.len().min(cell.total - record.len()))?);
        }
        Some(record)
    }

    fn place(&self, page: u32, view: usize) -> Option<Place> {
        if let Some(at) = self.views.get(view)?.get(&page) {
            return Some(Place { in_wal: true, at: *at, first: false });
        }
        let at = u64::from(page.checked_sub(1)?).checked_mul(u64::try_from(self.size).ok()?)?;
        (at < self.length).then_some(Place { in_wal: false, at, first: false })
    }

    /// How much may be read for rests of records, in bytes: cells that share one long rest must not cost for ever.
    pub fn budget(&self) -> u64 {
        u64::try_from(self.largest).unwrap_or(u64::MAX).saturating_mul(64)
    }
}
