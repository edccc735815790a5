//! What the log costs, beside a bare `SQLite` that stores the same rows in the same run, and how fast it is replayed.
//!
//!     cargo bench -p goald-daemon --bench store
//!
//! In a folder below `target`, or where `GOALD_BENCH` names one on another disk. Ratios count; absolute times are the disk's.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints numbers"
)]

use goald_core::decide::Fact;
use goald_core::{State, evolve};
use goald_daemon::store::{Append, SqliteStore, Store};
use goald_schema::Timestamp;
use goald_schema::actor::{Actor, Via};
use goald_schema::event::{Event, EventData};
use goald_schema::id::{EventId, SessionId};
use goald_schema::number::Seq;
use rusqlite::{Connection, params};
use std::path::Path;
use std::time::{Duration, Instant};

const TURNS: usize = 15;
const CHANGES: u64 = 100;
const SESSIONS: u64 = 64;
const REPLAYED: u64 = 200_000;

fn main() {
    let parent = std::env::var_os("GOALD_BENCH").unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
    let folder = tempfile::tempdir_in(parent).unwrap();
    commits(folder.path());
    replay(folder.path());
}

/// One session's durable changes, a bare `SQLite`'s, and those of many sessions at once, by turns.
fn commits(folder: &Path) {
    let store = SqliteStore::open(&folder.join("log.db")).unwrap();
    let raw = bare(&folder.join("bare.db"));
    let mut one = Session::open(&store);
    let mut many: Vec<Session<'_>> = (0..SESSIONS).map(|_| Session::open(&store)).collect();
    let (mut bares, mut ones, mut manies) = (Vec::new(), Vec::new(), Vec::new());
    let mut row = 0_i64;
    for _ in 0..TURNS {
        bares.push(timed(|| {
            for _ in 0..CHANGES {
                row += 1;
                insert(&raw, row);
            }
        }));
        ones.push(timed(|| (0..CHANGES).for_each(|_| one.change())));
        manies.push(timed(|| {
            std::thread::scope(|scope| {
                for session in &mut many {
                    scope.spawn(|| (0..CHANGES).for_each(|_| session.change()));
                }
            });
        }));
    }
    let per_second = |times: &mut Vec<Duration>, changes: u64| {
        times.sort_unstable();
        changes as f64 / times[times.len() / 2].as_secs_f64()
    };
    let bare = per_second(&mut bares, CHANGES);
    let one = per_second(&mut ones, CHANGES);
    let many = per_second(&mut manies, CHANGES * SESSIONS);
    println!("bare SQLite, FULL, the same row   {bare:>10.0} commits/s");
    println!("durable changes, one session      {one:>10.0} /s   {:.2} x bare (at least 0.8)", one / bare);
    println!(
        "durable changes, {SESSIONS} sessions      {many:>10.0} /s   {:.1} x one session's (10 where a commit takes 1 ms)",
        many / one
    );
}

/// Reading a session, verifying its chain, folding it.
fn replay(folder: &Path) {
    let store = SqliteStore::open(&folder.join("long.db")).unwrap();
    let mut session = Session::open(&store);
    for _ in 0..REPLAYED / 1000 {
        session.append((0..1000).map(|_| event()).collect());
    }
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            timed(|| {
                let mut state = State::default();
                let replayed = store.replay(session.id, Seq(0), &mut |record| {
                    let fact = Fact { actor: record.actor, event: record.event };
                    evolve(&mut state, &fact, record.at).unwrap();
                    Ok(())
                });
                replayed.unwrap();
            })
        })
        .collect();
    times.sort_unstable();
    println!(
        "replay of 250-byte events         {:>10.0} /s   (at least 500,000)",
        REPLAYED as f64 / times[2].as_secs_f64()
    );
}

fn bare(path: &Path) -> Connection {
    let raw = Connection::open(path).unwrap();
    raw.pragma_update(None, "journal_mode", "WAL").unwrap();
    raw.pragma_update(None, "synchronous", "FULL").unwrap();
    let schema = include_str!("../src/store/migrations/0001_log.sql");
    let events = schema.split_inclusive(';').next().unwrap();
    raw.execute_batch(events).unwrap();
    raw
}

/// One commit of the row that the log writes for [`event`].
fn insert(raw: &Connection, row: i64) {
    let session = [7_u8; 16];
    let id = uuid::Uuid::now_v7().into_bytes();
    raw.prepare_cached("INSERT INTO events VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
        .unwrap()
        .execute(params![
            id,
            session,
            row,
            1_764_564_963_007_i64,
            "{\"kind\":\"human\"}",
            "cli",
            "authority/refused",
            1,
            data(),
            [9_u8; 32]
        ])
        .unwrap();
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

struct Session<'a> {
    store: &'a SqliteStore,
    id: SessionId,
    last: Seq,
}

impl<'a> Session<'a> {
    fn open(store: &'a SqliteStore) -> Self {
        let mut session = Self { store, id: SessionId::from_uuid(uuid::Uuid::now_v7()), last: Seq(0) };
        let profile = serde_json::json!({"name": "x", "adapter": {"kind": "command", "program": "/x", "args": [], "output": "text"}});
        let opened = serde_json::json!({"workspace": "/w", "name": session.id.to_string(), "profile": profile});
        session.append(vec![of("session/opened", &opened.to_string())]);
        session
    }

    fn change(&mut self) {
        self.append(vec![event()]);
    }

    fn append(&mut self, events: Vec<EventData>) {
        let append = Append { session: self.id, expected: self.last, events, blobs: Vec::new() };
        self.last = self.store.append(append).wait().unwrap().last().unwrap().seq;
    }
}

/// About 250 bytes of data.
fn event() -> EventData {
    of("authority/refused", &data())
}

fn data() -> String {
    serde_json::json!({"operation": "edit-other", "why": "y".repeat(206)}).to_string()
}

fn of(kind: &str, data: &str) -> EventData {
    EventData {
        id: EventId::from_uuid(uuid::Uuid::now_v7()),
        at: Timestamp::from_millis(1_764_564_963_007).unwrap(),
        actor: Actor::Human,
        via: Via::Cli,
        event: Event::decode(kind, 1, data).unwrap(),
    }
}
