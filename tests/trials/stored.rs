//! Stores that were filled before the daemon starts: large ones, in a moment.

use crate::harness::World;
use goald_daemon::store::{Append, SqliteStore, Store as _};
use goald_schema::event::{Event, EventData, EventRecord};
use goald_schema::id::{EventId, SessionId};
use goald_schema::number::Seq;
use serde_json::{Value, json};

/// A world with one session, whose goal has ended blocked, and no daemon; and its log.
pub fn stopped() -> (World, Vec<EventRecord>) {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "--check", "false", "x"]).exits(0);
    world.goal(&["wait"]).exits(3);
    let log = world.log().into_iter().map(|event| serde_json::from_value(event).expect("an event")).collect();
    world.goal(&["daemon", "stop"]).exits(0);
    (world, log)
}

/// Appends so many events to a session, each with about 250 bytes of data.
pub fn lengthen(world: &World, last: &EventRecord, count: u32) {
    let store = open(world);
    let mut expected = last.seq;
    let mut left = count;
    while left > 0 {
        let some = left.min(1000);
        let events = (0..some)
            .map(|_| another(last, "authority/refused", &json!({"operation": "edit-other", "why": "y".repeat(200)})))
            .collect();
        let appended =
            store.append(Append { session: last.session, expected, events, blobs: Vec::new() }).wait().expect("stored");
        expected = appended.last().expect("some").seq;
        left -= some;
    }
}

/// Opens so many more sessions, each with a goal that nobody has armed since.
pub fn widen(world: &World, log: &[EventRecord], count: u32) -> Vec<String> {
    let store = open(world);
    let first: Vec<(String, Value)> =
        log.iter().take(2).map(|record| (record.event.kind().to_owned(), data(&record.event))).collect();
    assert_eq!((first[0].0.as_str(), first[1].0.as_str()), ("session/opened", "goal/change"));
    let names: Vec<String> = (0..count).map(|number| format!("s{number}")).collect();
    let appends: Vec<_> = names
        .iter()
        .map(|name| {
            let (mut opened, mut created) = (first[0].1.clone(), first[1].1.clone());
            opened["name"] = json!(name);
            created["goal"]["id"] = json!(uuid::Uuid::now_v7());
            let events = vec![another(&log[0], "session/opened", &opened), another(&log[1], "goal/change", &created)];
            let session = SessionId::from_uuid(uuid::Uuid::now_v7());
            store.append(Append { session, expected: Seq(0), events, blobs: Vec::new() })
        })
        .collect();
    for append in appends {
        append.wait().expect("stored");
    }
    names
}

fn open(world: &World) -> SqliteStore {
    SqliteStore::open(&world.home().join("goald.db")).expect("nobody else has it")
}

fn data(event: &Event) -> Value {
    serde_json::from_str(&event.encode().expect("encoded")).expect("JSON")
}

fn another(like: &EventRecord, kind: &str, data: &Value) -> EventData {
    EventData {
        id: EventId::from_uuid(uuid::Uuid::now_v7()),
        at: like.at,
        actor: like.actor.clone(),
        via: like.via,
        event: Event::decode(kind, 1, &data.to_string()).expect("an event"),
    }
}
