//! What was acknowledged, and whether a log keeps it.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What clients were told is done.
#[derive(Default, Clone)]
pub struct Ledger {
    /// The newest revision of each goal.
    revisions: BTreeMap<String, u64>,
    messages: BTreeSet<String>,
    /// How many answers said that something changed.
    pub changes: u64,
}

impl Ledger {
    /// Notes the answer to a change. A refusal promises nothing.
    pub fn note(&mut self, answer: &Value) {
        let result = &answer["result"];
        if result["changed"] != true {
            return;
        }
        self.changes += 1;
        let status = &result["status"];
        if let (Some(id), Some(revision)) = (status["goal"]["id"].as_str(), status["goal"]["revision"].as_u64()) {
            let newest = self.revisions.entry(id.to_owned()).or_default();
            *newest = revision.max(*newest);
        }
        let queued = status["queued"].as_array().into_iter().flatten();
        self.messages.extend(queued.filter_map(|message| message["id"].as_str().map(str::to_owned)));
    }

    /// Takes over what another client was told.
    pub fn merge(&mut self, other: Self) {
        self.changes += other.changes;
        self.messages.extend(other.messages);
        for (id, revision) in other.revisions {
            let newest = self.revisions.entry(id).or_default();
            *newest = revision.max(*newest);
        }
    }

    /// Asserts that everything acknowledged is in the log.
    pub fn is_kept(&self, log: &[Value]) {
        let mut revisions: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        let mut messages = BTreeSet::new();
        for event in log {
            match event["type"].as_str() {
                Some("goal/change") => {
                    let goal = &event["data"]["goal"];
                    if let (Some(id), Some(revision)) = (goal["id"].as_str(), goal["revision"].as_u64()) {
                        revisions.entry(id).or_default().push(revision);
                    }
                }
                Some("message/queued") => {
                    messages.extend(event["data"]["message"].as_str());
                }
                _ => {}
            }
        }
        for (id, newest) in &self.revisions {
            let kept = revisions.get(id.as_str()).and_then(|kept| kept.last()).copied().unwrap_or(0);
            assert!(kept >= *newest, "revision {newest} of goal {id} was acknowledged; the log ends at {kept}");
        }
        for message in &self.messages {
            assert!(messages.contains(message.as_str()), "message {message} was acknowledged and is lost");
        }
    }
}

/// Asserts what holds of every log: numbers without a gap, each round admitted once, one attempt at a time. With `open`
/// false also that no attempt is without its end.
pub fn is_sound(log: &[Value]) {
    let mut seqs: BTreeMap<&str, u64> = BTreeMap::new();
    let mut rounds: BTreeMap<String, u64> = BTreeMap::new();
    let mut revisions: BTreeMap<String, u64> = BTreeMap::new();
    let mut open: BTreeMap<&str, &str> = BTreeMap::new();
    let mut position = 0;
    for event in log {
        let session = event["session"].as_str().expect("an event has a session");
        let at = event["position"].as_u64().expect("an event has a position");
        assert!(at > position, "position {at} comes after {position}");
        position = at;
        let seq = seqs.entry(session).or_default();
        *seq += 1;
        assert_eq!(event["seq"].as_u64(), Some(*seq), "{event}");
        let data = &event["data"];
        match event["type"].as_str().expect("an event has a type") {
            "round/admitted" => {
                let goal = data["ref"]["id"].as_str().expect("a round has a goal");
                let last = rounds.entry(goal.to_owned()).or_default();
                *last += 1;
                assert_eq!(data["round"].as_u64(), Some(*last), "rounds are admitted once, in order: {event}");
            }
            "goal/change" => {
                if let Some(goal) = data["goal"]["id"].as_str() {
                    let last = revisions.entry(goal.to_owned()).or_default();
                    *last += 1;
                    assert_eq!(data["goal"]["revision"].as_u64(), Some(*last), "{event}");
                }
            }
            "attempt/started" => {
                let attempt = data["attempt"].as_str().expect("an attempt has an id");
                let before = open.insert(session, attempt);
                assert_eq!(before, None, "one attempt at a time: {event}");
            }
            "attempt/ended" => {
                assert_eq!(open.remove(session), data["attempt"].as_str(), "what ends was open: {event}");
            }
            _ => {}
        }
    }
}

/// Attempts without an end.
pub fn open_attempts(log: &[Value]) -> Vec<&str> {
    let mut open: BTreeMap<&str, &str> = BTreeMap::new();
    for event in log {
        let session = event["session"].as_str().unwrap_or_default();
        let data = &event["data"];
        if event["type"] == "attempt/started" {
            open.insert(session, data["attempt"].as_str().unwrap_or_default());
        } else if event["type"] == "attempt/ended" {
            open.remove(session);
        }
    }
    open.into_values().collect()
}

/// Asserts that everything that was seen of a log is in it still, unchanged, at its place.
pub fn still_there(seen: &[Value], log: &[Value]) {
    let by_position: BTreeMap<u64, &Value> =
        log.iter().filter_map(|event| Some((event["position"].as_u64()?, event))).collect();
    for event in seen {
        let position = event["position"].as_u64().expect("an event has a position");
        assert_eq!(by_position.get(&position), Some(&event), "what was at position {position} is not there any more");
    }
}
