//! Recovery of real stores that were damaged in every way.

use super::super::tests::support::{Fixture, append_of, refusal, session};
use super::super::{SqliteStore, Store as _};
use super::image::wal_path;
use super::salvage;
use goald_schema::event::EventRecord;
use goald_schema::id::SessionId;
use goald_schema::number::Seq;
use goald_schema::recovery::Recovery;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

type Log = BTreeMap<SessionId, Vec<EventRecord>>;

/// The files of a store with long and short events, part of them only in the write-ahead log.
fn files() -> (TempDir, Log) {
    let fixture = Fixture::new();
    let sessions = [session(), session(), session()];
    let mut log = Log::new();
    let copy = tempfile::tempdir().unwrap();
    for seq in 0..24_u64 {
        for session in sessions {
            let length = if seq % 7 == 3 { 11_000 } else { 60 };
            let records = fixture.append(append_of(session, seq, vec![refusal(&"x".repeat(length))])).unwrap();
            log.entry(session).or_default().extend(records);
        }
        if seq == 15 {
            fixture.raw().execute_batch("PRAGMA wal_checkpoint(PASSIVE)").unwrap();
        }
    }
    let path = copy.path().join("goald.db");
    for suffix in ["", "-wal"] {
        let from = format!("{}{suffix}", fixture.path().display());
        fs::copy(from, format!("{}{suffix}", path.display())).unwrap();
    }
    fs::copy(fixture.path().with_extension("end"), path.with_extension("end")).unwrap();
    (copy, log)
}

/// Recovers, and checks that everything in the new file is a true beginning.
#[track_caller]
fn recover(folder: &Path, log: &Log) -> (Recovery, Log) {
    let source = folder.join("goald.db");
    let bytes = |path: &Path| fs::read(path).ok();
    let before = (bytes(&source), bytes(&wal_path(&source)));
    let out = tempfile::tempdir().unwrap();
    let target = out.path().join("new.db");
    let report = salvage(&source, &target).unwrap();
    assert_eq!((bytes(&source), bytes(&wal_path(&source))), before, "the source is as it was");
    let store = SqliteStore::open(&target).unwrap();
    assert_eq!(store.damage(), None);
    let mut found = Log::new();
    for part in report.sessions.iter().filter(|part| part.events > 0) {
        let events = store.read(part.session, Seq(0)).unwrap();
        assert!(log[&part.session].starts_with(&events), "a true beginning, positions and all");
        let said = part.missing.is_some() || part.ends.is_some() || !report.unaccounted.is_empty();
        assert!(said || events.len() == log[&part.session].len(), "nothing is lost silently: {report:?}");
        found.insert(part.session, events);
    }
    (report, found)
}

#[test]
fn a_sound_log_is_recovered_whole() {
    let (folder, log) = files();
    let (report, found) = recover(folder.path(), &log);
    assert_eq!(found, log);
    assert!(report.unaccounted.is_empty() && report.sessions.iter().all(|part| part.missing.is_none()), "{report:?}");
}

#[test]
fn a_lost_root_page_and_a_broken_header_lose_no_event() {
    for bytes in [100, 4096] {
        let (folder, log) = files();
        let path = folder.path().join("goald.db");
        let mut file = fs::read(&path).unwrap();
        file[..bytes].fill(0);
        fs::write(&path, file).unwrap();
        assert_eq!(recover(folder.path(), &log).1, log);
    }
}

#[test]
fn any_damage_leaves_true_beginnings() {
    let (folder, log) = files();
    let path = folder.path().join("goald.db");
    let (file, wal) = (fs::read(&path).unwrap(), fs::read(wal_path(&path)).unwrap());
    let mut state: usize = 12_345;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for case in 0..40 {
        let (mut file, mut wal) = (file.clone(), wal.clone());
        match case % 4 {
            0 => (0..30).for_each(|_| {
                let at = random(file.len());
                file[at] ^= 1 << random(8);
                let at = random(wal.len());
                wal[at] ^= 1 << random(8);
            }),
            1 => {
                let page = random(file.len() / 4096) * 4096;
                file[page..page + 4096].fill(0);
            }
            2 => file.truncate(random(file.len())),
            _ => wal.truncate(random(wal.len())),
        }
        fs::write(&path, file).unwrap();
        fs::write(wal_path(&path), wal).unwrap();
        recover(folder.path(), &log);
    }
}

#[test]
fn nothing_is_replaced_and_nothing_is_left() {
    let (folder, _) = files();
    let target = folder.path().join("there");
    fs::write(&target, "mine").unwrap();
    let count = || fs::read_dir(folder.path()).unwrap().count();
    let before = count();
    assert!(salvage(&folder.path().join("goald.db"), &target).is_err());
    assert_eq!((fs::read_to_string(&target).unwrap(), count()), ("mine".to_owned(), before));
}

#[test]
fn a_deleted_row_ends_its_session_there_and_what_follows_is_said() {
    let (fixture, session) = (Fixture::new(), session());
    for seq in 0..5 {
        fixture.append(append_of(session, seq, vec![refusal("why")])).unwrap();
    }
    // The row stands in older pages of the write-ahead log: only a file without one has lost it.
    fixture.vandal().execute_batch("PRAGMA secure_delete = ON; DELETE FROM events WHERE seq = 3; VACUUM").unwrap();
    fixture.raw().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let out = tempfile::tempdir().unwrap();
    let report = salvage(&fixture.path(), &out.path().join("new.db")).unwrap();
    let part = &report.sessions[0];
    assert_eq!((part.events, part.head), (2, Some(Seq(5))));
    assert_eq!(part.missing.map(|range| (range.first, range.last)), Some((Seq(3), Seq(5))));
    assert_eq!(part.unproven.iter().map(|part| part.count).sum::<u64>(), 2);
}

#[test]
fn blobs_come_along_only_if_an_event_names_them_and_the_new_file_is_private() {
    use super::super::tests::support::with_blob;
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    fixture.append(with_blob(session(), 0, 20_000)).unwrap();
    let out = tempfile::tempdir().unwrap();
    let target = out.path().join("new.db");
    let report = salvage(&fixture.path(), &target).unwrap();
    assert_eq!((report.events, report.blobs, report.unnamed_blobs), (1, 0, 1));
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn files_of_any_bytes_give_an_empty_log() {
    for length in [0, 1, 100, 5000, 100_000] {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("goald.db");
        let bytes: Vec<u8> = (0..length)
            .map(|at: u32| if at.is_multiple_of(4096) { 0x0d } else { at.to_le_bytes()[0] ^ 0x5a })
            .collect();
        fs::write(&source, &bytes).unwrap();
        fs::write(wal_path(&source), &bytes).unwrap();
        assert_eq!(salvage(&source, &folder.path().join("new.db")).unwrap().events, 0);
    }
}
