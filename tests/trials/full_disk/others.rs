//! A full disk that is met elsewhere than at an append: at the start, by output, by `goal purge`, in the folder for temporary files.

use super::on_a_small_disk;
use super::scene::Scene;
use crate::harness::code;
use serde_json::json;

#[test]
fn full_disk_at_the_start_is_said_and_nothing_is_left_behind() {
    let Some(mut scene) = on_a_small_disk() else { return };
    scene.raw.call("daemon.stop", json!({}));
    assert!(scene.process.wait());
    scene.disk.fill(0);
    let started = scene.ground.world.goal(&["daemon", "start", "--json"]);
    if started.code == 0 {
        // It needs no room to start: what is there is read, and only changes are refused.
        scene.raw = scene.ground.reach().expect("it answers");
        scene.refuse("create", scene.plot.create());
        scene.ground.log();
    } else {
        let said = started.json(1);
        assert_eq!(said["error"]["code"], "disk-full", "{said}");
    }
    scene.disk.make_room();
    scene.ground.world.goal(&["daemon", "start"]).exits(0);
    scene.raw = scene.ground.reach().expect("it answers");
    scene.plot.complete(&mut scene.raw).expect("it lives");
    scene.raw.call("daemon.stop", json!({}));
}

#[test]
fn full_disk_loses_output_which_says_so_and_a_whole_attempt_goes_on() {
    let Some(mut scene) = on_a_small_disk() else { return };
    let script = "#!/bin/sh\ncat > /dev/null; echo early; read -r word < turn; head -c 100000 /dev/zero | tr '\\0' x; echo; \
                  echo printed > go2; read -r word < turn; echo late; touch done\n";
    scene.ground.world.fifo("w0/go2");
    crate::harness::executable(&scene.plot.workspace.join("agent.sh"), script.as_bytes());
    scene.grant("create", scene.plot.create());
    scene.until("attempt/started");
    scene.disk.fill(0);
    scene.end_turn();
    assert_eq!(crate::harness::read_fifo(&scene.plot.workspace.join("go2")), "printed\n");
    // The agent is alive, although nothing of this could be stored.
    let attempt = scene.status()["attempt"]["id"].as_str().expect("it runs").to_owned();
    scene.disk.make_room();
    scene.end_turn();
    scene.plot.complete(&mut scene.raw).expect("it lives");
    let output = std::fs::read_to_string(scene.ground.world.home().join("output").join(format!("{attempt}.out")))
        .expect("output");
    // What did not fit in the pipe was read while the disk was full; the rest may have found room. None of it is uncounted: each
    // gap says how much is missing.
    let (mut lost, mut kept) = (0, 0);
    for line in output.lines() {
        match line.strip_prefix("[goald: ") {
            Some(gap) => lost += gap.strip_suffix(" bytes could not be stored]").unwrap().parse::<usize>().unwrap(),
            None => kept += line.bytes().filter(|byte| *byte == b'x').count(),
        }
    }
    // Its end of line, and `early` with its own, may be among what is missing.
    assert!(lost > 30_000 && (100_000..=100_007).contains(&(lost + kept)), "{lost} + {kept}: {output:.300}");
    assert!(output.ends_with("\nlate\n"), "{output:.300}");
    scene.raw.call("daemon.stop", json!({}));
}

#[test]
fn full_disk_refuses_a_purge_or_says_what_it_left_and_the_log_stays_whole() {
    let Some(mut scene) = on_a_small_disk() else { return };
    scene.plot.complete(&mut scene.raw).expect("it lives");
    let before = scene.ground.log();
    scene.disk.fill(0);
    let answer = scene.raw.call("purge", json!({}));
    let warned = answer["result"]["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty());
    assert!(warned || code(&answer) == "disk-full", "{answer}");
    assert_eq!(scene.ground.log(), before);
    scene.disk.make_room();
    let answer = scene.raw.call("purge", json!({}));
    assert_eq!(answer["result"].get("warnings"), None, "{answer}");
    assert_eq!(scene.ground.log(), before);
    assert!(again(&mut scene), "it goes on");
    scene.raw.call("daemon.stop", json!({}));
}

fn again(scene: &mut Scene) -> bool {
    scene.grant("create", scene.plot.create());
    scene.plot.complete(&mut scene.raw).is_some()
}

#[test]
fn full_disk_has_no_room_for_a_long_objective_and_the_goal_goes_on_when_there_is() {
    let Some(mut scene) = on_a_small_disk() else { return };
    let mut goal = scene.plot.create();
    goal["objective"] = json!({"from": "file", "text": "done is there ".repeat(16_000)});
    scene.hold("round/admitted", "");
    scene.grant("create", goal);
    scene.held();
    // Enough for some commits, too little for the file.
    scene.disk.fill(40);
    scene.release();
    let waited = scene.raw.call("wait", json!({"targets": [scene.plot.target()]}));
    let outcome = &waited["result"]["stopped"][0]["outcome"];
    assert!(outcome == "blocked" || outcome == "needs-resume", "{waited}");
    assert_eq!(scene.ground.log().iter().filter(|event| event["type"] == "attempt/started").count(), 0);
    let listed =
        std::process::Command::new("find").arg(scene.ground.world.home()).args(["-name", "*.partial-*"]).output();
    assert_eq!(String::from_utf8_lossy(&listed.expect("listed").stdout), "", "no part of the file takes up room");
    scene.disk.make_room();
    scene.plot.complete(&mut scene.raw).expect("it lives");
    scene.raw.call("daemon.stop", json!({}));
}
