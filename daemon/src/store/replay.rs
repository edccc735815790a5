//! Reading a session strictly: every event follows from the one before it, and the last is where the head row says.

use super::Each;
use super::chain::{Chain, ChainHash, START};
use super::error::StoreError;
use super::head::{self, Head};
use super::row::{Stored, select_events};
use goald_schema::id::SessionId;
use goald_schema::number::{Position, Seq};
use rusqlite::{Connection, params};

/// The events of a session after `after`; see [`super::Store::replay`]. Wants a snapshot: head and events must be of the
/// same commit.
pub(super) fn read(
    connection: &Connection,
    session: SessionId,
    after: Seq,
    each: &mut Each<'_>,
) -> Result<(), StoreError> {
    let head = head::read(connection, session)?;
    let mut walk = start(connection, session, after)?;
    let mut statement = connection.prepare_cached(select_events!("WHERE session = ?1 AND seq > ?2 ORDER BY seq"))?;
    let mut rows = statement.query(params![session.as_uuid().into_bytes(), walk.seq])?;
    while let Some(row) = rows.next()? {
        let stored = Stored::read(row).map_err(|what| walk.damaged(what))?;
        walk.step(&stored).map_err(|what| StoreError::damaged(session, Some(stored.position), what))?;
        let record = stored.decode().map_err(|what| StoreError::damaged(session, Some(stored.position), what))?;
        each(record)?;
    }
    walk.end(head.as_ref()).map_err(|what| walk.damaged(what))?;
    Ok(())
}

/// A stored event number as one that callers know.
pub(super) fn seq(session: SessionId, stored: i64) -> Result<Seq, StoreError> {
    u64::try_from(stored)
        .map(Seq)
        .map_err(|_| StoreError::damaged(session, None, format!("its head row says event {stored}")))
}

/// The walk from the beginning, or from an event that the caller has seen.
fn start(connection: &Connection, session: SessionId, after: Seq) -> Result<Walk, StoreError> {
    let mut walk = Walk { session, seq: 0, position: Position(0), hash: START, chain: Chain::default() };
    if after == Seq(0) {
        return Ok(walk);
    }
    let missing = || StoreError::damaged(session, None, format!("event {after} is missing"));
    let seq = i64::try_from(after.get()).map_err(|_| missing())?;
    let mut statement = connection.prepare_cached(select_events!("WHERE session = ?1 AND seq = ?2"))?;
    let mut rows = statement.query(params![session.as_uuid().into_bytes(), seq])?;
    let row = rows.next()?.ok_or_else(missing)?;
    let stored = Stored::read(row).map_err(|what| walk.damaged(what))?;
    walk.seq = seq;
    walk.position = stored.position;
    walk.hash = stored.hash;
    Ok(walk)
}

/// How far a session has been verified.
struct Walk {
    session: SessionId,
    seq: i64,
    position: Position,
    hash: ChainHash,
    chain: Chain,
}

impl Walk {
    /// Takes one more event, if it follows.
    fn step(&mut self, stored: &Stored<'_>) -> Result<(), String> {
        let next = self.seq.saturating_add(1);
        if stored.link.seq != next {
            return Err(format!("event {next} is missing, event {} follows", stored.link.seq));
        }
        if stored.position <= self.position {
            return Err(format!("event {next} has an earlier position than the event before it"));
        }
        if self.chain.hash(&self.hash, &stored.link) != stored.hash {
            return Err(format!("the hash of event {next} does not fit: it or the event before it was changed"));
        }
        self.seq = next;
        self.position = stored.position;
        self.hash = stored.hash;
        Ok(())
    }

    /// Compares where the events end with where they should.
    fn end(&self, head: Option<&Head>) -> Result<(), String> {
        match head {
            None if self.seq == 0 => Ok(()),
            None => Err("its head row is missing".to_owned()),
            Some(head) if head.seq > self.seq => {
                Err(format!("events {} to {} are missing at its end", self.seq.saturating_add(1), head.seq))
            }
            Some(head) if head.seq < self.seq => {
                Err(format!("its head row says that event {} is the last, but event {} is", head.seq, self.seq))
            }
            Some(head) if head.hash != self.hash => Err("the hash in its head row does not fit".to_owned()),
            Some(_) => Ok(()),
        }
    }

    /// Damage behind the last event that fits.
    fn damaged(&self, what: String) -> StoreError {
        StoreError::damaged(self.session, (self.seq > 0).then_some(self.position), what)
    }
}
