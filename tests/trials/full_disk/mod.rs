//! The disk is full just when something is appended, for every kind of append; then there is room again.

mod cases;
mod disk;
mod others;
mod scene;

use super::ledger;
use super::{Counts, Trial};
use crate::harness::code;
use cases::{CASES, Case, NEVER, Push, REFUSALS};
use goald_schema::event::Event;
use rustix::process::Signal;
use scene::Scene;
use serde_json::{Value, json};
use std::time::Instant;

fn all() -> impl Iterator<Item = &'static Case> + Clone {
    CASES.iter().chain(&REFUSALS)
}

#[test]
fn full_disk_is_met_by_every_kind_of_event() {
    let met = |kind: &&str| NEVER.contains(kind) || all().any(|case| case.kind == *kind);
    let missed: Vec<_> = Event::TYPES.iter().filter(|kind| !met(kind)).collect();
    assert!(missed.is_empty(), "never tried: {missed:?}");
}

#[test]
fn full_disk() {
    let once = u32::try_from(all().count()).expect("few");
    let mut trial = Trial::new("full disk", Counts { few: 6, short: once, full: 4 * once });
    let (mut met, mut refused) = (0, 0);
    for (number, case) in (0..trial.count()).zip(all().cycle()) {
        // First not a page is left, then so few that another part of a commit is the one without room.
        let left = if number < once { 0 } else { trial.dice.u64(0..6) };
        let Some(scene) = on_a_small_disk() else { return };
        let what = format!("{} {} with {left} pages left", case.kind, case.holds);
        std::io::Write::write_all(&mut std::io::stdout(), format!("{what}\n").as_bytes()).ok();
        let full = meet(scene, case, left);
        assert!(full || left > 0, "{what}: it was written all the same");
        refused += u32::from(full);
        met += 1;
    }
    trial.result("appends held", met);
    trial.result("refused for want of room", refused);
}

fn on_a_small_disk() -> Option<Scene> {
    match Scene::new() {
        Ok(scene) => Some(scene),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "needs root: {why}");
            crate::harness::skipped("a full disk", "run the tests as root");
            None
        }
    }
}

/// Holds the append, fills the disk, lets go, looks, makes room and goes on. Whether there was no room for it.
fn meet(mut scene: Scene, case: &Case, left: u64) -> bool {
    (case.before)(&mut scene);
    let before = scene.ground.log();
    let (method, params) = match case.push {
        Push::Ask(method, params) | Push::After(method, params) => (method, params(&scene)),
        Push::Agent => ("", Value::Null),
    };
    scene.hold(case.kind, case.holds);
    let answer = std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let mut raw = scene.plot.reach().expect("it answers");
            match case.push {
                Push::Ask(..) | Push::After(..) => raw.call(method, params.clone()),
                Push::Agent => {
                    scene.end_turn();
                    Value::Null
                }
            }
        });
        scene.held();
        scene.disk.fill(left);
        scene.release();
        asked.join().expect("answered")
    });
    scene.ledger.note(&answer);
    // Behind everything that the session does now.
    let status = scene.status();
    let full = left == 0 || code(&answer) == "disk-full";
    if left == 0 {
        match case.push {
            Push::Ask(..) => assert_eq!(code(&answer), "disk-full", "{answer}"),
            Push::After(..) => assert_eq!(answer["result"]["changed"], true, "{answer}"),
            Push::Agent => {}
        }
        stands_still(&mut scene, case, &status);
    }
    let stopped = scene.ground.log();
    ledger::still_there(&before, &stopped);
    scene.disk.make_room();
    scene.calm();
    goes_on(scene, case, (method, params), &stopped, left);
    full
}

/// The daemon is up and reads; nothing runs or is begun.
fn stands_still(scene: &mut Scene, case: &Case, status: &Value) {
    assert_eq!(scene.ground.world.daemon_pid(), i32::try_from(scene.process.pid).expect("fits"), "the same daemon");
    assert_ne!(status["activation"], "armed", "{status}");
    scene.ground.quiet_since(Instant::now());
    let log = scene.ground.log();
    let list = scene.raw.call("list", json!({}));
    assert!(list["result"]["sessions"].is_array(), "{list}");
    let said = std::fs::read_to_string(scene.plot.workspace.join("said.txt")).unwrap_or_default();
    assert!(!said.contains("exit 0"), "an agent was told that it is recorded: {said}");
    // Where the driver met it nobody speaks to the session until there is room: it lets go by itself.
    let asked = matches!(case.push, Push::Ask(..));
    if asked && status["goal"].is_object() && status["goal"]["phase"] != "complete" {
        scene.refuse("edit", cases::more_rounds(scene));
    }
    scene.refuse("create", {
        let mut other = scene.plot.create();
        other["target"]["name"] = json!("other");
        other
    });
    let later = scene.ground.log();
    assert_eq!(later, log, "nothing is begun behind anyone's back");
    assert!(scene.ground.at_work().is_empty());
}

/// With room again the session goes on to its end, and the log has everything once.
fn goes_on(mut scene: Scene, case: &Case, (method, params): (&str, Value), stopped: &[Value], left: u64) {
    if left == 0 {
        // Nothing of what was stopped holds the workspace.
        let mut other = scene.plot.create();
        other["target"]["name"] = json!("other");
        let target = other["target"].clone();
        scene.plot.touch("done");
        scene.grant("create", other);
        let waited = scene.raw.call("wait", json!({"targets": [target]}));
        assert_eq!(waited["result"]["stopped"][0]["outcome"], "complete", "{waited}");
        if matches!(case.push, Push::Ask(..)) {
            // What would have been stopped is stopped already.
            let answer = scene.raw.call(method, params);
            let nothing_left = code(&answer) == "nothing-to-stop";
            assert!(nothing_left || answer["result"]["changed"] == true, "{method} again: {answer}");
            scene.ledger.note(&answer);
        }
    }
    let goal = scene.status()["goal"].take();
    if goal.is_object() && goal["phase"] != "complete" {
        let answer = scene.raw.call("edit", cases::more_rounds(&scene));
        // Where it was never stopped it may have come to its end meanwhile.
        assert!(code(&answer) == "wrong-phase" || answer["result"]["changed"] == true, "edit: {answer}");
        scene.ledger.note(&answer);
    }
    scene.plot.complete(&mut scene.raw).expect("it lives");
    scene.ground.alone();
    let end = scene.ground.log();
    ledger::still_there(stopped, &end);
    scene.ledger.is_kept(&end);
    let answer = scene.raw.call("daemon.stop", json!({}));
    assert!(answer.get("result").is_some(), "{answer}");
    assert!(scene.process.wait());
    let doctor = scene.ground.world.goal(&["doctor"]);
    let problems: Vec<_> = doctor.stdout.lines().filter(|line| line.starts_with("  problem")).collect();
    assert!(matches!(problems[..], [small] if small.contains("low-space")), "{doctor:?}");
    let next = scene.ground.start(&[]).expect("it starts again");
    let log = scene.ground.verified_start();
    ledger::still_there(&end, &log);
    next.signal(Signal::KILL);
    next.wait();
}
