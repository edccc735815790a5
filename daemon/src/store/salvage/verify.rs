//! Which rows the chain accepts: the longest beginning of a session, from its first event on.

use super::super::chain::{Chain, ChainHash, START};
use super::harvest::{Candidate, Seen, again};
use super::image::Image;
use super::record::{Row, row, values};
use std::collections::BTreeSet;

/// So many ways of going on are followed at once; the log of one daemon has one.
const WAYS: usize = 8;

/// One proven event, and which of the level before it follows.
#[derive(Clone, Copy, Debug)]
struct Step {
    candidate: Candidate,
    hash: ChainHash,
    before: usize,
}

/// The proven beginning of a session, and in words why it ends.
pub(super) fn prefix(images: &[Image], seen: &Seen, taken: &BTreeSet<u64>) -> (Vec<Candidate>, String) {
    let mut levels: Vec<Vec<Step>> = Vec::new();
    let mut chain = Chain::default();
    let mut seq: i64 = 1;
    let why = loop {
        let Some(candidates) = seen.events.get(&seq) else { break format!("event {seq} was not found") };
        let mut level: Vec<Step> = Vec::new();
        // A position stands outside the chain: where the index knows the event, it must say the same one.
        let places = seen.places.get(&seq);
        let ordered = candidates.iter().filter(|candidate| {
            places.is_none_or(|places| i64::try_from(candidate.position).is_ok_and(|at| places.contains(&at)))
        });
        for candidate in ordered {
            let fits = |hash: &ChainHash, position: u64, chain: &mut Chain| {
                (candidate.position > position && !taken.contains(&candidate.position))
                    .then(|| follows(images, *candidate, hash, chain))
                    .flatten()
            };
            match levels.last() {
                None => level.extend(fits(&START, 0, &mut chain).map(|hash| Step {
                    candidate: *candidate,
                    hash,
                    before: 0,
                })),
                Some(last) => level.extend(last.iter().enumerate().filter_map(|(before, step)| {
                    fits(&step.hash, step.candidate.position, &mut chain).map(|hash| Step {
                        candidate: *candidate,
                        hash,
                        before,
                    })
                })),
            }
        }
        if level.is_empty() {
            break format!(
                "no row for event {seq} follows from the event before it, at a place that its index confirms"
            );
        }
        level.truncate(WAYS);
        levels.push(level);
        seq = seq.saturating_add(1);
    };
    let mut chosen = Vec::with_capacity(levels.len());
    let mut at = 0;
    for level in levels.iter().rev() {
        let Some(step) = level.get(at) else { break };
        chosen.push(step.candidate);
        at = step.before;
    }
    chosen.reverse();
    (chosen, why)
}

fn follows(images: &[Image], candidate: Candidate, before: &ChainHash, chain: &mut Chain) -> Option<ChainHash> {
    let (rowid, record) = again(images, candidate.location)?;
    let values = values(&record)?;
    let Row::Event(stored) = row(rowid, &values)? else { return None };
    (chain.hash(before, &stored.link) == stored.hash && stored.decode().is_ok()).then_some(stored.hash)
}
