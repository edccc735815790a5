//! The cells of one page of a `SQLite` database, taken from its bytes alone: no tree is followed, nothing is trusted.

/// A whole cell: its row number and where its bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell<'page> {
    /// The row number; `None` in an index.
    pub rowid: Option<i64>,
    /// The length of the record, in bytes.
    pub total: usize,
    /// What of it stands in the page.
    pub local: &'page [u8],
    /// The page where the rest begins.
    pub overflow: Option<u32>,
}

/// A variable-length integer, and how many bytes it has.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value: u64 = 0;
    for (index, byte) in bytes.iter().take(9).enumerate() {
        if index == 8 {
            return Some(((value << 8) | u64::from(*byte), 9));
        }
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}

/// The 4 bytes at a place, big end first.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?)))
}

/// What kind of page holds records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Table,
    IndexLeaf,
    IndexInterior,
}

/// Hands over the cells that a page can be read to have; no record may be longer than `largest`.
pub(super) fn cells(page: &[u8], first: bool, largest: usize) -> Vec<Cell<'_>> {
    let header = if first { 100 } else { 0 };
    let kind = match page.get(header) {
        Some(0x0d) => Kind::Table,
        Some(0x0a) => Kind::IndexLeaf,
        Some(0x02) => Kind::IndexInterior,
        _ => return Vec::new(),
    };
    let pointers = header + if kind == Kind::IndexInterior { 12 } else { 8 };
    let room = page.len().saturating_sub(pointers) / 2;
    let count = u16_at(page, header + 3).unwrap_or(0).min(room);
    (0..count)
        .filter_map(|index| u16_at(page, pointers + 2 * index))
        .filter(|at| *at >= pointers)
        .filter_map(|at| cell(page, at, kind, largest))
        .collect()
}

fn cell(page: &[u8], at: usize, kind: Kind, largest: usize) -> Option<Cell<'_>> {
    let mut at = if kind == Kind::IndexInterior { at.checked_add(4)? } else { at };
    let (total, length) = varint(page.get(at..)?)?;
    at += length;
    let total = usize::try_from(total).ok().filter(|total| *total <= largest && *total > 0)?;
    let mut rowid = None;
    if kind == Kind::Table {
        let (number, length) = varint(page.get(at..)?)?;
        at += length;
        rowid = Some(i64::from_ne_bytes(number.to_ne_bytes()));
    }
    let kept = kept(page.len(), total, kind)?;
    let local = page.get(at..at.checked_add(kept)?)?;
    let overflow = if kept < total { Some(u32_at(page, at + kept)?) } else { None };
    Some(Cell { rowid, total, local, overflow })
}

/// How much of a record stays in its page.
fn kept(usable: usize, total: usize, kind: Kind) -> Option<usize> {
    let smallest = (usable.checked_sub(12)? * 32 / 255).checked_sub(23)?;
    let largest = match kind {
        Kind::Table => usable.checked_sub(35)?,
        Kind::IndexLeaf | Kind::IndexInterior => (usable.checked_sub(12)? * 64 / 255).checked_sub(23)?,
    };
    if total <= largest {
        return Some(total);
    }
    let kept = smallest + (total - smallest) % usable.checked_sub(4)?;
    Some(if kept <= largest { kept } else { smallest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_integers_have_one_to_nine_bytes() {
        assert_eq!(varint(&[0x7f]), Some((127, 1)));
        assert_eq!(varint(&[0x81, 0x00]), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9]), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0xff; 8]), None);
        assert_eq!(varint(&[]), None);
    }

    #[test]
    fn arbitrary_pages_are_read_without_a_panic() {
        let mut state: u64 = 7;
        for size in [0, 1, 7, 99, 101, 512, 4096] {
            for _ in 0..2000 {
                let mut page: Vec<u8> = (0..size)
                    .map(|_| {
                        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                        state.to_be_bytes()[0]
                    })
                    .collect();
                if let Some(kind) = page.first_mut() {
                    *kind = [0x0d, 0x0a, 0x02][usize::from(state.to_be_bytes()[1]) % 3];
                }
                for cell in cells(&page, false, 1 << 20) {
                    assert!(cell.local.len() <= page.len());
                }
                cells(&page, true, 1 << 20);
            }
        }
    }
}
