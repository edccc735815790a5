//! The columns of one record, and which of goald's rows it can be.

use super::super::chain::{ChainHash, Link};
use super::super::row::Stored;
use super::page::varint;
use goald_schema::number::Position;

/// One column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Value<'record> {
    Null,
    Int(i64),
    Text(&'record str),
    Blob(&'record [u8]),
}

/// No row of goald's has more columns.
const MOST: usize = 11;

/// What kinds and lengths the columns have, without the columns: tells which row it is before the rest is read.
pub(super) fn shape(record: &[u8], total: usize) -> Option<(Vec<u64>, usize)> {
    let (length, mut at) = varint(record)?;
    let length = usize::try_from(length).ok().filter(|length| *length <= record.len())?;
    let mut kinds = Vec::new();
    while at < length {
        let (kind, size) = varint(record.get(at..length)?)?;
        at += size;
        kinds.push(kind);
        if kinds.len() > MOST {
            return None;
        }
    }
    let body = kinds.iter().try_fold(length, |sum, kind| sum.checked_add(size(*kind)?))?;
    (body == total).then_some((kinds, length))
}

fn size(kind: u64) -> Option<usize> {
    Some(match kind {
        0 | 8 | 9 => 0,
        1..=4 => usize::try_from(kind).ok()?,
        5 => 6,
        6 => 8,
        7 | 10 | 11 => return None,
        _ => usize::try_from((kind - 12) / 2).ok()?,
    })
}

/// The columns of a whole record.
pub(super) fn values(record: &[u8]) -> Option<Vec<Value<'_>>> {
    let (kinds, mut at) = shape(record, record.len())?;
    kinds
        .into_iter()
        .map(|kind| {
            let bytes = record.get(at..at.checked_add(size(kind)?)?)?;
            at += bytes.len();
            value(kind, bytes)
        })
        .collect()
}

fn value(kind: u64, bytes: &[u8]) -> Option<Value<'_>> {
    Some(match kind {
        0 => Value::Null,
        8 => Value::Int(0),
        9 => Value::Int(1),
        1..=6 => {
            let mut whole = if bytes.first()? & 0x80 == 0 { [0; 8] } else { [0xff; 8] };
            whole.get_mut(8usize.checked_sub(bytes.len())?..)?.copy_from_slice(bytes);
            Value::Int(i64::from_be_bytes(whole))
        }
        _ if kind.is_multiple_of(2) => Value::Blob(bytes),
        _ => Value::Text(std::str::from_utf8(bytes).ok()?),
    })
}

/// A row of goald's.
#[derive(Debug)]
pub(super) enum Row<'record> {
    Event(Stored<'record>),
    Head {
        session: [u8; 16],
        seq: i64,
    },
    Blob {
        hash: &'record str,
        bytes: &'record [u8],
    },
    /// Of the index over sessions and numbers.
    Place {
        session: [u8; 16],
        seq: i64,
        position: i64,
    },
}

/// Whether the kinds of columns are those of one of goald's rows.
pub(super) fn is_ours(kinds: &[u64]) -> bool {
    const BLOB_16: u64 = 44;
    const BLOB_32: u64 = 76;
    const TEXT_64: u64 = 141;
    matches!(
        kinds,
        [0, BLOB_16, BLOB_16, _, _, _, _, _, _, _, BLOB_32] | [BLOB_16, _, BLOB_32, _] | [TEXT_64, _] | [BLOB_16, _, _]
    )
}

/// Which row a record is.
pub(super) fn row<'record>(rowid: Option<i64>, values: &[Value<'record>]) -> Option<Row<'record>> {
    use Value::{Blob, Int, Null, Text};
    match (rowid, values) {
        (
            Some(rowid),
            [
                Null,
                Blob(id),
                Blob(session),
                Int(seq),
                Int(at),
                Text(actor),
                Text(via),
                Text(kind),
                Int(version),
                Text(data),
                Blob(hash),
            ],
        ) => {
            let hash: ChainHash = (*hash).try_into().ok()?;
            let position = u64::try_from(rowid).ok().filter(|position| *position > 0).map(Position)?;
            let link = Link { id, session, seq: *seq, at: *at, actor, via, kind, version: *version, data };
            (id.len() == 16 && session.len() == 16 && *seq > 0).then_some(Row::Event(Stored { position, link, hash }))
        }
        (Some(_), [Blob(session), Int(seq), Blob(hash), Null | Blob(_)]) if hash.len() == 32 && *seq > 0 => {
            Some(Row::Head { session: (*session).try_into().ok()?, seq: *seq })
        }
        (Some(_), [Text(hash), Blob(bytes)]) => Some(Row::Blob { hash, bytes }),
        (None, [Blob(session), Int(seq), Int(position)]) if *seq > 0 && *position > 0 => {
            Some(Row::Place { session: (*session).try_into().ok()?, seq: *seq, position: *position })
        }
        _ => None,
    }
}
