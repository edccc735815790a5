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

/// Every place in the document, but the document itself.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (step, value) in inside {
        let path = format!("{path}/{step}");
        places(value, &path, found);
        found.push(path);
    }
}

/// The sample with another value at this path.
fn put(data: &str, path: &str, other: impl FnOnce(Value) -> Value) -> String {
    let mut value = parsed(data);
    let place = value.pointer_mut(path).expect("it is there");
    *place = other(place.take());
    value.to_string()
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
fn an_unknown_field_is_an_error_even_if_it_says_nothing() {
    for (kind, data) in SAMPLES {
        let mut paths = Vec::new();
        objects(&parsed(data), "", &mut paths);
        for (path, nothing) in paths.iter().flat_map(|path| [(path, Value::Null), (path, Value::Array(Vec::new()))]) {
            let more = with(data, path, |fields| {
                fields.insert("surprise".to_owned(), nothing);
            });
            refused(kind, &more, &format!("a field added at {path:?}"));
        }
    }
}

#[test]
fn a_list_in_place_of_an_object_is_an_error_at_every_depth() {
    for (kind, data) in SAMPLES {
        let mut paths = Vec::new();
        objects(&parsed(data), "", &mut paths);
        for path in paths {
            // In every order of the fields there is one in which they are declared.
            let fields = parsed(data).pointer(&path).and_then(Value::as_object).expect("an object").clone();
            let values: Vec<Value> = fields.into_iter().map(|(_, value)| value).collect();
            for turn in 0..values.len().max(1) {
                let mut turned = values.clone();
                turned.rotate_left(turn);
                refused(kind, &put(data, &path, |_| turned.into()), &format!("a list at {path:?}"));
                let mut turned: Vec<Value> = values.iter().rev().cloned().collect();
                turned.rotate_left(turn);
                refused(kind, &put(data, &path, |_| turned.into()), &format!("a list at {path:?}"));
            }
        }
    }
}

#[test]
fn structs_by_position_are_refused_where_serde_alone_would_take_them() {
    let by_position = r#"["019f0000-0000-7000-8000-000000000001",2]"#;
    assert!(serde_json::from_str::<goald_schema::GoalRef>(by_position).is_ok(), "or this test shows nothing");
    refused("pause/requested", &format!(r#"{{"ref":{by_position}}}"#), "a ref by position");
    let set = r#"["create",{},0,"2026-12-01T04:56:03.123Z","2026-12-01T04:56:03.123Z"]"#;
    refused("goal/change", set, "a change by position");
}

#[test]
fn a_word_or_a_number_in_another_shape_is_an_error_everywhere() {
    for (kind, data) in SAMPLES {
        let mut paths = Vec::new();
        places(&parsed(data), "", &mut paths);
        for path in paths {
            refused(kind, &put(data, &path, |value| Value::from(vec![value])), &format!("a list around {path}"));
            let map = put(data, &path, |value| match value {
                Value::String(word) => serde_json::json!({ word: null }),
                other => serde_json::json!({ "a": other }),
            });
            refused(kind, &map, &format!("an object around {path}"));
        }
    }
}

#[test]
fn only_order_and_space_may_differ_from_what_is_written() {
    let (kind, data) = SAMPLES.iter().find(|(kind, _)| *kind == "round/admitted").expect("a sample");
    let spaced = format!(" {} ", data.replace(':', " : "));
    let turned = r#"{"round":3,"contentRevision":1,"ref":{"revision":2,"id":"019f0000-0000-7000-8000-000000000001"}}"#;
    for other in [spaced.as_str(), turned] {
        assert_eq!(Event::decode(kind, EVENT_VERSION, other), Event::decode(kind, EVENT_VERSION, data));
    }
    let id = "019f0000-0000-7000-8000-000000000001";
    for other in [id.to_uppercase(), id.replace('-', ""), format!("urn:uuid:{id}"), format!("{{{id}}}")] {
        refused(kind, &data.replace(id, &other), "an id that is spelt otherwise");
    }
    let (kind, data) = SAMPLES.iter().find(|(_, data)| data.contains("clearedAt")).expect("a sample");
    for other in ["2026-12-01T05:56:03.1234Z", "2026-12-01T06:56:03.123+01:00", "2026-12-01 05:56:03.123Z"] {
        refused(kind, &data.replace("2026-12-01T05:56:03.123Z", other), "a time that is spelt otherwise");
    }
}

#[test]
fn an_actor_without_fields_takes_none() {
    use goald_schema::{Actor, strict};
    assert_eq!(strict::stored::<Actor>(r#"{"kind":"human"}"#).expect("an actor"), Actor::Human);
    for (text, words) in [
        (
            r#"{"kind":"human","attempt":"019f0000-0000-7000-8000-00000000000a"}"#,
            r#"at "/attempt": there is no such field"#,
        ),
        (r#"{"kind":"driver","x":null}"#, r#"at "/x": there is no such field"#),
        (r#"["human"]"#, r#"at "": a list stands where an object belongs"#),
        (r#"{"kind":"other","why":{"dead-token":null}}"#, r#"at "/why": an object stands where a string belongs"#),
    ] {
        assert!(serde_json::from_str::<Actor>(text).is_ok(), "{text}: or this test shows nothing");
        assert_eq!(strict::stored::<Actor>(text).expect_err(text).to_string(), words);
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
