//! `goal doctor --recover`: a damaged log, what is readable of it in a new file, and that in its place.

use super::damage::{database, meddled};
use super::{codes, examined, kept, snapshot};
use crate::harness::finished;
use goald_schema::doctor::{FindingCode, Recovered};
use std::process::Command;

#[test]
fn what_is_readable_goes_into_a_new_file_that_takes_the_place_of_the_damaged_one() {
    let world = kept();
    let whole = world.log_of_all();
    world.goal(&["daemon", "stop"]).exits(0);
    // The first session loses its end, and the second its middle.
    meddled(&world, "DELETE FROM events WHERE position = 3");
    assert!(world.goal(&["doctor"]).exits(1).contains("goal doctor --recover FILE"));
    let before = snapshot(&world.home());
    let file = world.work().join("new.db");
    let path = file.to_str().expect("UTF-8");
    let value = world.goal(&["doctor", "--recover", path, "--json"]).json(0);
    let recovered: Recovered = serde_json::from_value(value.clone()).expect("as its type says");
    assert_eq!(serde_json::to_value(&recovered).expect("JSON"), value);
    assert!(before == snapshot(&world.home()), "nothing in the state folder changes");
    let lost: Vec<_> = recovered.recovery.sessions.iter().filter(|session| session.missing.is_some()).collect();
    assert_eq!(lost.len(), 1, "{recovered:?}");
    assert_eq!((lost[0].events, lost[0].name.as_deref()), (2, Some("first")));

    // It says what to do, as a shell takes it.
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_goal")).parent().expect("a folder");
    let search = format!("{}:{}", folder.display(), std::env::var("PATH").expect("a path"));
    for command in recovered.next.iter().filter(|command| *command != "goal daemon stop") {
        let mut shell = Command::new("sh");
        shell.args(["-euc", command]).env("PATH", &search).env("GOALD_HOME", world.home()).current_dir(world.work());
        finished(shell.output().expect("started")).exits(0);
    }
    let log = world.log_of_all();
    assert_eq!(log[..2], whole[..2]);
    let of_second = |log: &[serde_json::Value]| -> Vec<serde_json::Value> {
        log.iter().filter(|event| event["session"] != whole[0]["session"]).map(|event| event["hash"].clone()).collect()
    };
    assert_eq!(of_second(&log), of_second(&whole));
    assert!(world.goal(&["list"]).exits(0).contains("second"));
    world.goal(&["-s", "second", "resume"]).exits(5);
    world.goal(&["daemon", "stop"]).exits(0);
    let findings = examined(&world, 0);
    assert!(findings.iter().any(|finding| finding.code == Some(FindingCode::LogRecovered)), "{findings:?}");
    // What is lost afterwards is news all the same.
    world.goal(&["-s", "second", "say", "one"]).exits(0);
    world.goal(&["-s", "second", "say", "two"]).exits(0);
    world.goal(&["daemon", "stop"]).exits(0);
    meddled(&world, "DELETE FROM events WHERE position = (SELECT max(position) - 1 FROM events)");
    assert!(codes(&examined(&world, 1)).contains(&"log-gap"));
}

#[test]
fn a_file_that_is_there_is_not_overwritten_and_without_a_log_there_is_nothing_to_recover() {
    let world = kept();
    world.goal(&["daemon", "start"]).exits(0);
    assert!(world.goal(&["doctor", "--recover", "new.db"]).stderr.contains("goal daemon stop"));
    world.goal(&["daemon", "stop"]).exits(0);
    let there = world.file("there", "mine");
    let error = &world.goal(&["doctor", "--recover", there.to_str().expect("UTF-8"), "--json"]).json(2)["error"];
    assert_eq!(error["code"], "invalid-value");
    assert_eq!(world.read("there"), "mine");
    std::fs::remove_file(database(&world)).expect("removed");
    let error = &world.goal(&["doctor", "--recover", "new.db", "--json"]).json(8)["error"];
    assert_eq!(error["code"], "not-found");
    assert!(!world.work().join("new.db").exists());
}
