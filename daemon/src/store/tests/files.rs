//! The files of the store: modes, formats, what is refused.

use super::support::{Fixture, session, small};
use crate::store::{SqliteStore, Store as _, StoreError};
use rusqlite::config::DbConfig;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

fn sibling(fixture: &Fixture, suffix: &str) -> PathBuf {
    let mut path = fixture.path().into_os_string();
    path.push(suffix);
    path.into()
}

#[test]
fn the_database_and_its_companions_are_the_owners_alone() {
    let fixture = Fixture::new();
    fixture.append(small(session(), 0)).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let mode = fs::metadata(sibling(&fixture, suffix)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{suffix:?}");
    }
}

#[test]
fn a_database_that_others_could_read_is_closed_to_them() {
    let mut fixture = Fixture::new();
    fixture.close();
    fs::set_permissions(fixture.path(), Permissions::from_mode(0o644)).unwrap();
    fixture.reopen();
    assert_eq!(fs::metadata(fixture.path()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_closed_store_is_one_file_although_it_was_read_from() {
    let mut fixture = Fixture::new();
    fixture.append(small(session(), 0)).unwrap();
    assert_eq!(fixture.store().open_attempts(), Ok(Vec::new()));
    fixture.close();
    assert!(fixture.path().exists());
    assert!(!sibling(&fixture, "-wal").exists());
    assert!(!sibling(&fixture, "-shm").exists());
}

#[test]
fn commits_are_synchronised_in_full() {
    let fixture = Fixture::closed();
    let connection = crate::store::open::writer(&fixture.path()).unwrap();
    let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!((pragma("synchronous"), pragma("wal_autocheckpoint")), (2, 0));
    let journal: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(journal, "wal");
}

#[test]
fn a_database_of_a_newer_goald_is_refused_and_left_as_it_is() {
    let mut fixture = Fixture::new();
    fixture.append(small(session(), 0)).unwrap();
    fixture.close();
    let raw = fixture.raw();
    // As after a crash: what is newer stands in the write-ahead log only.
    raw.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    drop(raw);
    let files = || ["", "-wal"].map(|suffix| fs::read(sibling(&fixture, suffix)).unwrap());
    let before = files();
    assert!(!before[1].is_empty());
    let refused = SqliteStore::open(&fixture.path()).map(drop);
    assert_eq!(refused, Err(StoreError::Newer { found: 99, known: 1 }));
    assert!(files() == before, "the files were changed");
}

#[test]
fn a_file_that_is_no_database_takes_nothing_and_is_left_as_it_is() {
    let fixture = Fixture::closed();
    let text = b"these are somebody's notes, not a database at all, whatever the name of the file says. ".repeat(20);
    fs::write(fixture.path(), &text).unwrap();
    let store = SqliteStore::open(&fixture.path()).unwrap();
    let refused = store.append(small(session(), 0)).wait();
    assert!(matches!(refused, Err(StoreError::Corrupt { .. })), "{refused:?}");
    assert_eq!(store.damage(), refused.err());
    assert!(matches!(store.sessions(), Err(StoreError::Corrupt { .. })));
    drop(store);
    assert_eq!(fs::read(fixture.path()).unwrap(), text);
}

#[test]
fn a_missing_folder_is_an_error_that_names_the_file() {
    let fixture = Fixture::closed();
    let path = fixture.path().join("absent").join("goald.db");
    match SqliteStore::open(&path).map(drop) {
        Err(StoreError::Io { path: named, .. }) => assert_eq!(named, path.display().to_string()),
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn a_folder_in_its_place_takes_no_append_and_is_left_as_it_is() {
    let fixture = Fixture::closed();
    fs::create_dir(fixture.path()).unwrap();
    fs::set_permissions(fixture.path(), Permissions::from_mode(0o755)).unwrap();
    let store = SqliteStore::open(&fixture.path()).unwrap();
    let told = store.append(small(session(), 0)).wait().unwrap_err().to_string();
    assert!(told.contains(&format!("{} is no file", fixture.path().display())), "{told}");
    drop(store);
    assert_eq!(fs::metadata(fixture.path()).unwrap().permissions().mode() & 0o777, 0o755);
}
