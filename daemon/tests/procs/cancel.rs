//! The ladder: interrupt, terminate, kill; and what is left when an agent ends by itself.

use crate::world::{Witness, World, open};
use goald_daemon::guard::{EndStatus, LadderTimes, Running};
use std::time::{Duration, Instant};

// A script that is to hear a signal waits with `wait`: a shell that waits for a command in the foreground may have started
// that wait just before the signal, and hear of it only when the command ends.

const SOON: Duration = Duration::from_millis(50);
const NEVER: Duration = Duration::from_mins(10);

/// Starts the script, waits until it says that it is up, cancels, and waits for the end.
async fn cancelled(script: &str, ladder: LadderTimes) -> (EndStatus, Duration, Witness) {
    let world = World::new();
    let says = world.witness("says");
    let mut launch = world.script(&format!("exec 9>says; {script}"));
    launch.ladder = ladder;
    let mut running: Running = open(launch).await;
    let (line, witness) = Witness::open(&says).await.line().await;
    assert_eq!(line, "up");
    let asked = Instant::now();
    running.control.cancel();
    running.control.cancel();
    let ended = running.ended().await;
    (ended.status, asked.elapsed(), witness)
}

pub async fn an_agent_that_honours_the_interrupt_ends_by_it() {
    let ladder = LadderTimes { interrupt: NEVER, terminate: NEVER };
    let script = "trap 'exit 30' INT; trap 'exit 31' TERM; sleep 600 & echo up >&9; wait";
    let (status, took, witness) = cancelled(script, ladder).await;
    assert_eq!(status, EndStatus::Code(30));
    assert!(took < Duration::from_secs(10), "{took:?}");
    witness.gone().await;
}

pub async fn an_agent_that_only_honours_terminate_ends_by_it() {
    let ladder = LadderTimes { interrupt: SOON, terminate: NEVER };
    let script = "trap '' INT; trap 'exit 31' TERM; (trap '' TERM; exec sleep 600) & echo up >&9; wait";
    let (status, took, witness) = cancelled(script, ladder).await;
    assert_eq!(status, EndStatus::Code(31));
    assert!(took >= SOON, "{took:?}");
    witness.gone().await;
}

pub async fn an_agent_that_ignores_both_is_killed() {
    let ladder = LadderTimes { interrupt: SOON, terminate: SOON };
    let script = "trap '' INT TERM; echo up >&9; while :; do sleep 600; done";
    let (status, took, witness) = cancelled(script, ladder).await;
    assert_eq!(status, EndStatus::Signal(9));
    assert!(took >= SOON * 2, "{took:?}");
    witness.gone().await;
}

pub async fn a_cancellation_takes_the_whole_tree_with_it() {
    let ladder = LadderTimes { interrupt: NEVER, terminate: NEVER };
    // A child in a session of its own gets no interrupt and ignores the terminate signal.
    let script = "trap 'exit 30' INT; sleep 600 & \
                  (setsid sh -c 'trap \"\" INT TERM; echo up >&9; while :; do sleep 600; done' &); wait";
    let (status, _, witness) = cancelled(script, ladder).await;
    assert_eq!(status, EndStatus::Code(30));
    witness.gone().await;
}

pub async fn what_is_left_when_the_agent_ends_is_ended_and_counted() {
    let world = World::new();
    let says = world.witness("says");
    // One plain child in the background, one double-forked into a session of its own.
    let script = "exec 9>says; sleep 600 & (setsid sh -c 'echo up >&9; exec sleep 600' &); read x < go; exit 5";
    let go = world.witness("go");
    let mut running = world.run(script).await;
    let (line, witness) = Witness::open(&says).await.line().await;
    assert_eq!(line, "up");
    crate::world::let_go(go).await;
    let ended = running.ended().await;
    assert_eq!((ended.status, ended.leftovers), (EndStatus::Code(5), 2));
    witness.gone().await;
}
