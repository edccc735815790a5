//! Many sessions: what they cost while nothing happens, and that all of them get their turn when it does.

use super::figures::Stage;
use super::{Counts, Trial, stored};
use crate::harness::World;
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn ten_thousand_sessions_idle() {
    let mut trial = Trial::new("sessions idle", Counts { few: 50, short: 1000, full: 10_000 });
    let (world, log) = stored::stopped();
    let names = stored::widen(&world, &log, trial.count());
    let began = Instant::now();
    let mut stage = Stage::of(world);
    trial.result("start until it has answered", format!("{:.1?}", began.elapsed()));
    let memory = |stage: &Stage| format!("{} KiB, peak {} KiB", stage.kib("VmRSS"), stage.kib("VmHWM"));
    trial.result("memory after the start", memory(&stage));
    let workspace = stage.world.work().canonicalize().unwrap();
    let mut client = stage.client();
    let began = Instant::now();
    for name in &names {
        let target = json!({"by": "place", "workspace": workspace, "name": name});
        let answer = client.call("status", json!({"target": target}));
        assert_eq!(answer["result"]["session"]["name"], json!(name), "{answer}");
    }
    trial.result("loading each by its status", format!("{:.1?}", began.elapsed()));
    let began = Instant::now();
    let listed = stage.world.goal(&["list", "--json"]).exits(0);
    trial.result("goal list", format!("{:.1?}", began.elapsed()));
    assert_eq!(listed.matches("\"damaged\"").count(), 0);
    assert!(names.iter().all(|name| listed.contains(&format!("\"{name}\""))), "every session is listed");
    trial.result("memory with all loaded", memory(&stage));
    let window = if trial.count() < 10_000 { 1 } else { 30 };
    trial.result("wake-ups", format!("{} in {window} s", wakeups(&stage, Duration::from_secs(window))));
    assert!(stage.kib("VmHWM") < 100 * 1024, "{} KiB", stage.kib("VmHWM"));
    stage.unharmed();
    let began = Instant::now();
    stage.world.goal(&["daemon", "stop"]).exits(0);
    trial.result("daemon stop", format!("{:.1?}", began.elapsed()));
}

/// How often the daemon wakes in so much time. Threads that have just worked go to their end within seconds: what counts is
/// the first time without them.
fn wakeups(stage: &Stage, window: Duration) -> u64 {
    let mut counted = 0;
    for _ in 0..20 {
        let before = stage.switches();
        // A measurement of nothing happening: there is no event to wait for.
        std::thread::sleep(window);
        counted = stage.switches().saturating_sub(before);
        if counted == 0 {
            break;
        }
    }
    assert_eq!(counted, 0, "an idle daemon sleeps");
    counted
}

#[test]
fn many_armed_goals_all_get_their_round() {
    let mut trial = Trial::new("goals armed at once", Counts { few: 30, short: 100, full: 1000 });
    let world = World::new();
    let agent = world.script("agent.sh", "exec cat > /dev/null");
    world.config("maxConcurrentAttempts = 3\n");
    let mut stage = Stage::of(world);
    let mut client = stage.client();
    let began = Instant::now();
    let mut targets = Vec::new();
    for number in 0..trial.count() {
        let workspace = stage.world.work().canonicalize().unwrap().join(format!("w{number}"));
        std::fs::create_dir(&workspace).expect("made");
        let target = json!({"by": "place", "workspace": workspace, "name": "main"});
        let environment = json!({"PATH": std::env::var("PATH").unwrap()});
        let answer = client.call(
            "create",
            json!({"target": target, "objective": {"from": "inline", "text": "x"}, "agent": agent, "maxRounds": 1,
                "checks": ["false"], "caller": {"cwd": workspace, "environment": environment}}),
        );
        assert_eq!(answer["result"]["changed"], true, "{answer}");
        targets.push(target);
    }
    for target in &targets {
        let answer = client.call("wait", json!({"targets": [target]}));
        assert_eq!(answer["result"]["stopped"][0]["status"]["goal"]["roundsStarted"], 1, "{answer}");
    }
    let took = began.elapsed();
    let (mut running, mut most, mut started) = (0_i32, 0, 0);
    for event in stage.world.log_of_all() {
        match event["type"].as_str() {
            Some("attempt/started") => {
                running += 1;
                started += 1;
            }
            Some("attempt/ended") => running -= 1,
            _ => {}
        }
        most = most.max(running);
    }
    assert_eq!((most, started), (3.min(trial.count().try_into().unwrap()), trial.count()));
    trial.result("at most at once", most);
    trial.result("all done in", format!("{took:.1?}"));
    trial.result("peak memory", format!("{} KiB", stage.kib("VmHWM")));
    stage.unharmed();
    assert!(stage.kib("VmHWM") < 100 * 1024);
}
