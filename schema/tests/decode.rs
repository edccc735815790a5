//! Decoding is strict: each event type by one literal sample, and by everything that can be wrong with it.
#![expect(clippy::expect_used, reason = "a test may panic")]

mod samples;

use goald_schema::event::{DecodeError, EVENT_VERSION, Event};
use samples::SAMPLES;
use serde_json::Value;

fn parsed(data: &str) -> Value {
    serde_json::from_str(data).expect("a sample is JSON")
}

/// Every place in the document that holds an object, as a path of keys and indexes.
fn objects(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(path.to_owned());
            for (key, value) in fields {
                objects(value, &format!("{path}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                objects(value, &format!("{path}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// The sample with one change at this path.
fn with(data: &str, path: &str, change: impl FnOnce(&mut serde_json::Map<String, Value>)) -> String {
    let mut value = parsed(data);
    let place = value.pointer_mut(path).and_then(Value::as_object_mut).expect("an object is there");
    change(place);
    value.to_string()
}

fn refused(kind: &str, data: &str, what: &str) {
    match Event::decode(kind, EVENT_VERSION, data) {
        Err(DecodeError::Data { kind: named, .. }) => assert_eq!(named, kind),
        other => panic!("{kind}: {what} is refused, not {other:?}:\n{data}"),
    }
}

#[test]
fn there_is_a_sample_of_every_event_type_and_of_no_other() {
    let mut sampled: Vec<&str> = SAMPLES.iter().map(|(kind, _)| *kind).collect();
    sampled.dedup();
    assert_eq!(sampled, Event::TYPES);
    assert_eq!(Event::TYPES.len(), 22);
}

#[test]
fn every_sample_decodes_and_encodes_to_the_very_same_text() {
    for (kind, data) in SAMPLES {
        let event = Event::decode(kind, EVENT_VERSION, data).expect("a sample decodes");
        assert_eq!(event.kind(), *kind);
        assert_eq!(event.encode().expect("it encodes"), *data);
    }
}

#[test]
fn an_unknown_field_is_an_error_at_every_depth() {
    for (kind, data) in SAMPLES {
        let mut paths = Vec::new();
        objects(&parsed(data), "", &mut paths);
        for path in paths {
            let more = with(data, &path, |fields| {
                fields.insert("surprise".to_owned(), Value::from(1));
            });
            refused(kind, &more, &format!("a field added at {path:?}"));
        }
    }
}

#[test]
fn a_missing_field_is_an_error() {
    let mut optional = Vec::new();
    for (kind, data) in SAMPLES {
        let Value::Object(fields) = parsed(data) else { panic!("{kind} is an object") };
        for key in fields.keys() {
            let less = with(data, "", |fields| {
                fields.remove(key);
            });
            if Event::decode(kind, EVENT_VERSION, &less).is_ok() {
                optional.push(format!("{kind} {key}"));
            }
        }
    }
    optional.sort();
    optional.dedup();
    assert_eq!(optional, samples::OPTIONAL, "only what may be absent may be absent");
}

#[test]
fn a_wrong_type_is_an_error_in_every_field() {
    for (kind, data) in SAMPLES {
        let mut paths = Vec::new();
        objects(&parsed(data), "", &mut paths);
        for path in paths {
            let place = parsed(data).pointer(&path).and_then(Value::as_object).expect("an object").clone();
            for (key, value) in place {
                let other = if value.is_boolean() { Value::from("true") } else { Value::from(true) };
                let wrong = with(data, &path, |fields| {
                    fields.insert(key.clone(), other);
                });
                refused(kind, &wrong, &format!("a wrong type in {path}/{key}"));
            }
        }
        refused(kind, "[]", "a list");
        refused(kind, "null", "null");
        refused(kind, "", "nothing");
        refused(kind, &format!("{data} {data}"), "two documents");
    }
}

#[test]
fn a_field_that_stands_twice_is_an_error() {
    for (kind, data) in SAMPLES.iter().filter(|(_, data)| *data != "{}") {
        let Value::Object(fields) = parsed(data) else { panic!("{kind} is an object") };
        let (key, value) = fields.iter().next().expect("a field");
        let twice = format!("{{\"{key}\":{value},{}", &data[1..]);
        refused(kind, &twice, &format!("{key} twice"));
    }
}

#[test]
fn an_unknown_version_is_an_error_newer_and_older() {
    for (kind, data) in SAMPLES {
        for version in [0, EVENT_VERSION + 1, u32::MAX] {
            let expected = DecodeError::Version { kind: (*kind).to_owned(), version };
            assert_eq!(Event::decode(kind, version, data), Err(expected));
        }
    }
}

#[test]
fn an_unknown_type_is_an_error() {
    for kind in ["", "goal/changed", "Goal/Change", "goal/change ", "goal"] {
        let expected = DecodeError::Type(kind.to_owned());
        assert_eq!(Event::decode(kind, EVENT_VERSION, "{}"), Err(expected));
    }
}

#[test]
fn the_data_of_one_type_is_not_taken_for_another() {
    for (kind, _) in SAMPLES {
        let foreign = SAMPLES.iter().filter(|(of, _)| of != kind);
        for (of, data) in foreign.filter(|(of, _)| !samples::alike(of, kind)) {
            refused(kind, data, &format!("the data of {of}"));
        }
    }
}

#[test]
fn a_goal_that_breaks_its_own_shape_is_an_error() {
    let (kind, data) = SAMPLES.iter().find(|(kind, _)| *kind == "goal/change").expect("a sample");
    let goal = |key: &str, value: Value| {
        with(data, "/goal", |fields| {
            fields.insert(key.to_owned(), value);
        })
    };
    for (key, value) in [
        ("phase", Value::from("paused-ish")),
        ("phase", Value::from("blocked")),
        ("phase", Value::from("complete")),
        ("completed", Value::from("verified")),
        ("objective", Value::from("")),
        ("objective", Value::from(" untrimmed")),
        ("objective", Value::from("x".repeat(4_001))),
        ("revision", Value::from(0)),
        ("contentRevision", Value::from(2)),
        ("maxGoalRounds", Value::from(0)),
        ("maxGoalRounds", Value::from(-1)),
    ] {
        refused(kind, &goal(key, value.clone()), &format!("{key} = {value}"));
    }
}
