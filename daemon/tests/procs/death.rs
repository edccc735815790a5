//! The daemon dies, the guard dies, and what the next daemon does about it.

use crate::world::{Witness, World, goal, reaped};
use goald_daemon::guard::{EndStatus, Guard};
use goald_daemon::process::leftover::{self, Mark};
use goald_schema::event::{Delivered, GuardProcess};
use goald_schema::id::AttemptId;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Ten times what is promised, for a machine that is busy with other tests.
const AT_ONCE: Duration = Duration::from_secs(1);

pub async fn the_tree_dies_with_the_daemons_end_of_the_lifeline() {
    let world = World::new();
    let says = world.witness("says");
    let script = "exec 9>says; trap '' INT TERM HUP; (setsid sh -c 'trap \"\" TERM; sleep 600' &); sleep 600 & \
                  echo up >&9; while :; do sleep 600; done";
    let running = world.run(script).await;
    let control = running.control.clone();
    let (line, witness) = Witness::open(&says).await.line().await;
    assert_eq!(line, "up");
    let cut = Instant::now();
    drop(running);
    witness.gone().await;
    assert!(cut.elapsed() < AT_ONCE, "{:?}", cut.elapsed());
    assert_eq!(control.fence().await, Delivered::Unknown);
}

pub async fn an_unopened_guard_dies_when_it_is_dropped() {
    let world = World::new();
    let guard = Guard::spawn(&goal(), world.script("echo ran > ran")).await.expect("a guard");
    let pid = guard.process().pid;
    drop(guard);
    reaped(pid).await;
    assert!(!world.path("ran").exists());
}

fn kill_guard(guard: &GuardProcess) {
    kill(Pid::from_raw(i32::try_from(guard.pid).expect("a pid")), Signal::SIGKILL).expect("it is there");
}

pub async fn a_killed_guard_takes_the_agent_with_it_and_the_rest_is_found_by_its_mark() {
    let world = World::new();
    let (main, left) = (world.witness("main"), world.witness("left"));
    let attempt = AttemptId::from_uuid(Uuid::from_u128(u128::from(std::process::id())));
    let mut launch = world.script(
        "(setsid sh -c 'exec 9>left; echo up >&9; exec sleep 600' &); exec 8>main; echo up >&8; sleep 600 8>&- & wait",
    );
    launch.env.insert("GOALD_ATTEMPT".to_owned(), attempt.to_string());
    let guard = Guard::spawn(&goal(), launch).await.expect("a guard");
    let process = guard.process().clone();
    let mut running = guard.open().expect("open");
    let (_, main) = Witness::open(&main).await.line().await;
    let (_, left) = Witness::open(&left).await.line().await;
    // The same program, and marks that only look like the attempt's.
    let mut bystanders: Vec<_> = ["", "x"]
        .into_iter()
        .map(|more| {
            let mut command = Command::new("sleep");
            command.arg("600").env("GOALD_ATTEMPT", format!("{attempt}{more}x")).env("OTHER", attempt.to_string());
            command.stdin(Stdio::null()).spawn().expect("sleep")
        })
        .collect();

    kill_guard(&process);
    assert_eq!(running.ended().await.status, EndStatus::GuardLost);
    main.gone().await;
    assert!(left.is_gone(), "what the program left has outlived its guard");
    assert_eq!(leftover::end(&Mark::attempt(attempt), &process), 0, "nothing is left to be found");
    for bystander in &mut bystanders {
        assert_eq!(bystander.try_wait().expect("asked"), None, "a bystander was ended");
        bystander.kill().expect("ours");
        bystander.wait().expect("reaped");
    }
}

pub async fn nothing_is_touched_after_a_reboot() {
    let world = World::new();
    let guard = Guard::spawn(&goal(), world.script("exit 6")).await.expect("a guard");
    let attempt = Mark::attempt(AttemptId::from_uuid(Uuid::nil()));
    let other_boot = GuardProcess { boot_id: "another".to_owned(), ..guard.process().clone() };
    let other_start = GuardProcess { start_ticks: other_boot.start_ticks + 1, ..guard.process().clone() };
    assert_eq!(leftover::end(&attempt, &other_boot), 0);
    assert_eq!(leftover::end(&attempt, &other_start), 0, "the same number, started at another time");
    assert_eq!(guard.open().expect("still there").ended().await.status, EndStatus::Code(6));
    let guard = Guard::spawn(&goal(), world.script("exit 6")).await.expect("a guard");
    assert_eq!(leftover::end(&attempt, guard.process()), 1, "the recorded one itself is ended");
}
