//! Requests are read strictly: a sample of every method (a seed of the fuzz target), and everything that can be wrong.

use super::*;
use serde_json::{Map, json};
use std::path::Path;

fn sample(method: &str) -> Request {
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds/socket_frame").join(method);
    let line = std::fs::read_to_string(&seed).unwrap_or_else(|error| panic!("{}: {error}", seed.display()));
    let request = frame::request(line.trim_end()).expect("a seed is a request");
    assert_eq!(request.method, method);
    request
}

/// Every place that holds an object of known fields, as a path of keys and indexes.
fn objects(value: &Value, path: &str, found: &mut Vec<String>) {
    if let Value::Object(fields) = value {
        found.push(path.to_owned());
        // Variables have any name.
        for (key, value) in fields.iter().filter(|(key, _)| *key != "environment") {
            objects(value, &format!("{path}/{key}"), found);
        }
    }
    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
        objects(value, &format!("{path}/{index}"), found);
    }
}

/// Every change of every object in the sample of every method.
fn refuse_all(what: &str, change: impl Fn(&Map<String, Value>) -> Vec<Value>) {
    for (method, reads) in METHODS {
        let params = sample(method).params;
        let mut paths = Vec::new();
        objects(&params, "", &mut paths);
        for path in paths {
            let object = params.pointer(&path).and_then(Value::as_object).expect("an object");
            for other in change(object) {
                let mut changed = params.clone();
                *changed.pointer_mut(&path).expect("it is there") = other;
                match reads(method, changed.clone()) {
                    Err(error) => assert_eq!(error.code, ErrorCode::BadRequest),
                    Ok(read) => panic!("{method}: {what} at {path:?}: {changed} is read as {read}"),
                }
            }
        }
    }
}

#[test]
fn every_published_method_is_in_the_list_and_has_a_seed_that_fits() {
    let documents = goald_schema::export::documents();
    let (_, protocol) = documents.iter().find(|(name, _)| *name == "protocol.json").expect("it is there");
    let mut published: Vec<&str> =
        protocol["methods"].as_object().expect("methods").keys().map(String::as_str).collect();
    let mut listed: Vec<&str> = METHODS.iter().map(|(name, _)| *name).collect();
    published.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, published);
    for (method, reads) in METHODS {
        let params = sample(method).params;
        assert_eq!(reads(method, params.clone()), Ok(params), "{method}: every field is in its seed");
    }
}

#[test]
fn an_unknown_field_is_refused_at_every_depth_even_if_it_says_nothing() {
    refuse_all("a field", |object| {
        let more = |value: Value| {
            let mut object = object.clone();
            object.insert("surprise".to_owned(), value);
            Value::from(object)
        };
        vec![more(json!(1)), more(json!(null)), more(json!([]))]
    });
}

#[test]
fn a_list_in_place_of_an_object_is_refused_at_every_depth() {
    refuse_all("a list", |object| {
        let mut values: Vec<Value> = object.values().cloned().collect();
        let mut lists = Vec::new();
        for _ in 0..values.len().max(1) {
            lists.push(values.clone().into());
            lists.push(values.iter().rev().cloned().collect::<Vec<_>>().into());
            let one = values.len().min(1);
            values.rotate_left(one);
        }
        lists
    });
}

#[test]
fn structs_by_position_are_refused_where_serde_alone_would_take_them() {
    use goald_schema::protocol::status::StatusParams;
    let by_position = json!([["session", "019f0000-0000-7000-8000-000000000002"]]);
    assert!(serde_json::from_value::<StatusParams>(by_position.clone()).is_ok(), "or this test shows nothing");
    let refused = reads::<status::GetStatus>("status", by_position).expect_err("a list");
    assert!(refused.message.ends_with(r#"at "": a list stands where an object belongs"#), "{}", refused.message);
    let line = r#"["2.0",1,"list",{}]"#;
    assert!(serde_json::from_str::<Request>(line).is_ok(), "or this test shows nothing");
    assert_eq!(frame::request(line).expect_err("a list").code, ErrorCode::BadRequest);
}

#[test]
fn a_word_in_another_shape_is_refused() {
    refuse_all("a word as an object", |object| {
        let words = object.iter().filter_map(|(key, value)| Some((key, value.as_str()?)));
        let other = |(key, word): (&String, &str)| {
            let mut object = object.clone();
            object.insert(key.clone(), json!({ word: null }));
            Value::from(object)
        };
        words.map(other).collect()
    });
    let line = r#"{"jsonrpc":{"2.0":null},"id":1,"method":"list"}"#;
    assert!(serde_json::from_str::<Request>(line).is_ok(), "or this test shows nothing");
    assert_eq!(frame::request(line).expect_err("an object").code, ErrorCode::BadRequest);
}

#[test]
fn a_field_that_stands_twice_is_refused_wherever_it_stands() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"list","params":{"workspace":"/a","workspace":"/b"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"caller":{"environment":{"PATH":"/a","PATH":"/b"}}}}"#,
    ] {
        let refused = frame::request(line).expect_err(line);
        assert_eq!(refused.code, ErrorCode::BadRequest);
        let words = ["stands twice", "duplicate field"];
        assert!(words.iter().any(|words| refused.message.contains(words)), "{}", refused.message);
    }
}

#[test]
fn what_means_the_same_is_read_however_it_is_written() {
    let read = |given: Value| reads::<create::Create>("create", given).map_err(|error| error.message);
    let target = json!({"by": "session", "session": "019F0000-0000-7000-8000-000000000002"});
    let objective = json!({"from": "inline", "text": "x"});
    let plain = read(json!({"target": target, "objective": objective}));
    assert!(plain.is_ok(), "{plain:?}");
    let wordy = json!({"target": target, "objective": objective, "agent": null, "checks": [], "caller": null});
    assert_eq!(read(wordy), plain, "what is optional may be null or empty");
    let spaced = frame::request(r#" { "method" : "list", "id" : 1, "jsonrpc" : "2.0" } "#).expect("reads");
    assert_eq!((spaced.id, spaced.params), (1, Value::Null));
}

#[test]
fn every_line_and_every_prefix_of_the_seeds_holds() {
    for (method, _) in METHODS {
        let line = serde_json::to_string(&sample(method)).expect("written");
        for at in 0..line.len() {
            socket_frame(&line.as_bytes()[..at]);
            socket_frame(&[&line.as_bytes()[..at], &line.as_bytes()[at + 1..], b"\n"].concat());
        }
    }
}
