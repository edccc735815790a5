//! `goal schema`: the schemas that are checked in, told by the program itself, without a daemon.

use crate::harness::World;
use serde_json::{Value, json};

/// What `schema/json` holds of one.
fn checked_in(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema/json");
    std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("it is checked in")
}

#[test]
fn the_names_are_listed_and_each_schema_is_the_one_that_is_checked_in() {
    let world = World::new();
    let names = world.goal(&["schema"]).exits(0);
    assert_eq!(names, "doctor\nerror\nevent\nprotocol\nrecovered\n");
    assert_eq!(world.goal(&["schema", "--json"]).json(0), json!(names.lines().collect::<Vec<_>>()));
    let all = world.goal(&["schema", "--all"]).json(0);
    assert_eq!(all.as_object().map(serde_json::Map::len), Some(names.lines().count()));
    for name in names.lines() {
        let stored = checked_in(name);
        assert_eq!(world.goal(&["schema", name]).exits(0), stored);
        let value: Value = serde_json::from_str(&stored).expect("JSON");
        let line = world.goal(&["schema", name, "--json"]).exits(0);
        assert_eq!((line.lines().count(), serde_json::from_str::<Value>(&line).expect("JSON")), (1, value.clone()));
        assert_eq!(all[name], value);
    }
    world.goal(&["daemon", "status"]).exits(7);
}

#[test]
fn an_unknown_schema_is_wrong_usage_and_the_hint_names_those_there_are() {
    let world = World::new();
    let error = &world.goal(&["schema", "events", "--json"]).json(2)["error"];
    assert_eq!(
        (&error["code"], &error["hint"]),
        (&json!("invalid-value"), &json!("there are doctor, error, event, protocol, recovered"))
    );
    world.goal(&["schema", "event", "--all"]).exits(2);
}
