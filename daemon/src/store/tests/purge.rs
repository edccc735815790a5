//! Deleted blobs leave the files; what anybody names stays; events are not touched.

use super::support::{Fixture, append_of, event, refusal, session, small};
use crate::store::{Append, Blob, Purge, Purged, Store as _};
use goald_schema::event::EventData;
use goald_schema::id::{BlobHash, SessionId};
use goald_schema::number::Seq;
use std::collections::HashMap;

/// A message, as an event with its blob.
fn message(text: &str) -> (EventData, Blob) {
    let blob = Blob::new(text.as_bytes().to_vec());
    let data = serde_json::json!({"message": uuid::Uuid::now_v7(), "text": blob.hash});
    (event("message/queued", &data.to_string()), blob)
}

fn say(session: SessionId, expected: u64, text: &str) -> Append {
    let (event, blob) = message(text);
    Append { blobs: vec![blob], ..append_of(session, expected, vec![event]) }
}

fn hash(text: &str) -> BlobHash {
    Blob::new(text.as_bytes().to_vec()).hash
}

/// Everything that is on the disk.
fn raw_bytes(fixture: &Fixture) -> String {
    let files = ["", "-wal"].map(|end| fixture.path().with_file_name(format!("goald.db{end}")));
    // Looked for are plain letters, and those stay what they are.
    files.iter().map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()).collect()
}

#[test]
fn not_a_byte_of_deleted_texts_stays_in_the_files_and_what_others_keep_is_whole() {
    let mut fixture = Fixture::new();
    let (gone, kept) = (session(), session());
    // Sizes on a page, around its edge and over several: rows are moved within pages and between them.
    let texts = |who: &str| -> Vec<String> {
        (0..120_usize).map(|n| format!("<{who}-{n}>{}", "y".repeat(n * n * 7 % 9_000))).collect()
    };
    for (n, (a, b)) in (0..).zip(texts("gone").iter().zip(&texts("kept"))) {
        fixture.append(say(gone, n, a)).unwrap();
        fixture.append(say(kept, n, b)).unwrap();
    }
    let marks = |who: &str| (0..120).map(|n| format!("<{who}-{n}>")).collect::<Vec<_>>();
    let before = raw_bytes(&fixture);
    assert!(marks("gone").iter().all(|mark| before.contains(mark)), "the test sees them");
    let purge = Purge {
        blobs: texts("gone").iter().map(|text| hash(text)).collect(),
        looked: HashMap::from([(gone, Seq(120))]),
    };
    let planned = fixture.store().purgeable(&purge).unwrap();
    assert_eq!(planned.blobs.len(), 120);
    assert!(raw_bytes(&fixture).contains("<gone-0>"), "a plan deletes nothing");
    let size = || std::fs::metadata(fixture.path()).unwrap().len();
    let _moved = fixture.store().purge(Purge::default()).unwrap();
    let before = size();
    let purged = fixture.store().purge(purge.clone()).unwrap();
    assert_eq!(purged, planned);
    assert!(size() < before * 2 / 3, "room is given back: {} of {before}", size());
    let left = raw_bytes(&fixture);
    let found: Vec<String> = marks("gone").into_iter().filter(|mark| left.contains(mark)).collect();
    assert!(found.is_empty(), "{found:?} are still there");
    assert!(marks("kept").iter().all(|mark| left.contains(mark)));
    assert_eq!(fixture.store().purge(purge).unwrap(), Purged::default(), "again changes nothing");
    fixture.reopen();
    for of in [gone, kept] {
        assert_eq!(fixture.store().read(of, Seq(0)).unwrap().len(), 120, "the chain verifies");
    }
    assert_eq!(fixture.store().blob(&hash(&texts("gone")[7])), Ok(None));
    assert!(fixture.store().blob(&hash(&texts("kept")[7])).unwrap().is_some());
    fixture.append(small(gone, 120)).unwrap();
}

#[test]
fn what_was_moved_within_the_files_before_it_was_deleted_leaves_no_copy() {
    let fixture = Fixture::new();
    let mine = session();
    let text = |n: u64| format!("<moved-{n}>{}", "z".repeat(200));
    for n in 0..600 {
        fixture.append(say(mine, n, &text(n))).unwrap();
    }
    // Most of each page goes first, so that what is left is moved together; then the rest goes.
    for rest in [5, 3, 1] {
        let blobs = (0..600).filter(|n| rest == 1 || n % rest != 0).map(|n| hash(&text(n))).collect();
        fixture.store().purge(Purge { blobs, looked: HashMap::from([(mine, Seq(600))]) }).unwrap();
    }
    let left = raw_bytes(&fixture);
    let found: Vec<u64> = (0..600).filter(|n| left.contains(&format!("<moved-{n}>"))).collect();
    assert!(found.is_empty(), "{found:?} are still there");
}

#[test]
fn a_text_that_another_session_or_a_later_event_names_stays() {
    let fixture = Fixture::new();
    let (mine, other) = (session(), session());
    fixture.append(say(mine, 0, "shared with another session")).unwrap();
    fixture.append(say(other, 0, "shared with another session")).unwrap();
    fixture.append(say(mine, 1, "said twice")).unwrap();
    fixture.append(say(mine, 2, "mine alone")).unwrap();
    let all = ["shared with another session", "said twice", "mine alone"].map(hash);
    let purge = Purge { blobs: all.iter().cloned().collect(), looked: HashMap::from([(mine, Seq(3))]) };
    // After whoever asks has looked.
    fixture.append(say(mine, 3, "said twice")).unwrap();
    let purged = fixture.store().purge(purge).unwrap();
    assert_eq!(purged.blobs, HashMap::from([(hash("mine alone"), 10)]));
    assert!(fixture.store().blob(&all[0]).unwrap().is_some() && fixture.store().blob(&all[1]).unwrap().is_some());
}

#[test]
fn what_a_session_that_cannot_be_read_names_stays() {
    let fixture = Fixture::new();
    let (mine, damaged) = (session(), session());
    fixture.append(say(mine, 0, "shared")).unwrap();
    fixture.append(append_of(damaged, 0, vec![refusal("x")])).unwrap();
    fixture.append(say(damaged, 1, "shared")).unwrap();
    fixture
        .vandal()
        .execute("UPDATE events SET type = 'unknown/type' WHERE session = ?1", [damaged.as_uuid().into_bytes()])
        .unwrap();
    let purge = Purge { blobs: [hash("shared")].into(), looked: HashMap::from([(mine, Seq(1))]) };
    assert_eq!(fixture.store().purge(purge).unwrap(), Purged::default());
    assert!(fixture.store().blob(&hash("shared")).unwrap().is_some());
}

#[test]
fn appends_around_a_purge_are_made_in_their_order() {
    let fixture = Fixture::new();
    let mine = session();
    let first = fixture.store().append(say(mine, 0, "one"));
    let purge = Purge { blobs: [hash("one")].into(), looked: HashMap::from([(mine, Seq(1))]) };
    let store = fixture.store();
    let pending = std::thread::scope(|scope| {
        let purging = scope.spawn(|| store.purge(purge));
        let pending: Vec<_> = (1..20).map(|n| store.append(small(mine, n))).collect();
        purging.join().unwrap().unwrap();
        pending
    });
    first.wait().unwrap();
    for append in pending {
        append.wait().unwrap();
    }
    assert_eq!(store.read(mine, Seq(0)).unwrap().len(), 20);
}
