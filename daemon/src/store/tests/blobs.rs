//! Blobs by hash.

use super::support::{Fixture, count, session, with_blob};
use crate::store::{Blob, Store as _, StoreError};

#[test]
fn a_blob_is_named_by_the_blake3_hash_of_its_bytes() {
    let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    assert_eq!(Blob::new(Vec::new()).hash.as_str(), empty);
}

#[test]
fn the_same_text_is_stored_once_and_read_back() {
    let fixture = Fixture::new();
    let session = session();
    let append = with_blob(session, 0, 300_000);
    let blob = append.blobs[0].clone();
    fixture.append(append).unwrap();
    fixture.append(with_blob(session, 1, 300_000)).unwrap();
    assert_eq!(fixture.store().blob(&blob.hash), Ok(Some(blob.bytes)));
    assert_eq!(count(&fixture.raw(), "blobs"), 1);
}

#[test]
fn a_purged_blob_is_absent_and_the_events_still_verify() {
    let fixture = Fixture::new();
    let session = session();
    let append = with_blob(session, 0, 10);
    let hash = append.blobs[0].hash.clone();
    fixture.append(append).unwrap();
    fixture.raw().execute("DELETE FROM blobs", []).unwrap();
    assert_eq!(fixture.store().blob(&hash), Ok(None));
    assert_eq!(fixture.store().read(session, goald_schema::number::Seq(0)).unwrap().len(), 1);
}

#[test]
fn a_changed_blob_is_reported() {
    let fixture = Fixture::new();
    let append = with_blob(session(), 0, 10);
    let hash = append.blobs[0].hash.clone();
    fixture.append(append).unwrap();
    assert!(fixture.raw().execute("UPDATE blobs SET bytes = x'00'", []).is_err());
    fixture.vandal().execute("UPDATE blobs SET bytes = x'00'", []).unwrap();
    assert_eq!(fixture.store().blob(&hash), Err(StoreError::BlobDamaged { hash }));
}
