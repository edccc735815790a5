//! The daemon dies, the guard dies, and what the next daemon does about it.

use crate::world::{Witness, World, goal, reaped};
use goald_daemon::guard::{EndStatus, Guard, LadderTimes};
use goald_daemon::process;
use goald_daemon::process::leftover::{self, Mark};
use goald_schema::event::{Delivered, GuardProcess};
use goald_schema::id::AttemptId;
use nix::sys::pthread::{pthread_kill, pthread_self};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
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

pub async fn a_lost_guards_tree_is_ended_before_its_end_is_told() {
    let world = World::new();
    let left = world.witness("left");
    let mut launch = world.script("(setsid sh -c 'exec 9>left; echo up >&9; exec sleep 600' &); exec sleep 600");
    launch.env.insert(leftover::MARKER.to_owned(), Uuid::new_v4().to_string());
    let guard = Guard::spawn(&goal(), launch).await.expect("a guard");
    let process = guard.process().clone();
    let mut running = guard.open().expect("open");
    let (_, left) = Witness::open(&left).await.line().await;
    kill_guard(&process);
    assert_eq!(running.ended().await.status, EndStatus::GuardLost);
    tokio::time::timeout(Duration::from_millis(100), left.gone()).await.expect("gone before its end was told");
}

pub async fn a_guard_that_was_stopped_does_not_save_its_tree_from_a_cancellation() {
    let world = World::new();
    let (main, left) = (world.witness("main"), world.witness("left"));
    let mut launch = world.script(
        "(setsid sh -c 'exec 9>left; echo up >&9; exec sleep 600' &); trap '' INT TERM; kill -STOP $PPID; \
         exec 8>main; echo up >&8; while :; do sleep 600; done",
    );
    launch.ladder = LadderTimes { interrupt: Duration::from_millis(10), terminate: Duration::from_millis(10) };
    launch.env.insert(leftover::MARKER.to_owned(), Uuid::new_v4().to_string());
    let mut running = Guard::spawn(&goal(), launch).await.expect("a guard").open().expect("open");
    let (_, left) = Witness::open(&left).await.line().await;
    let (_, main) = Witness::open(&main).await.line().await;
    running.control.cancel();
    assert_eq!(running.ended().await.status, EndStatus::GuardLost);
    main.gone().await;
    left.gone().await;
}

pub async fn a_recorded_number_that_now_belongs_to_somebody_else_is_not_touched() {
    let attempt = AttemptId::from_uuid(Uuid::new_v4());
    let mut stranger = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().expect("sleep");
    let now = process::identity(stranger.id()).expect("it runs");
    // The number was given away: in this boot it belongs to a process that started later, or another boot had it.
    for recorded in [
        GuardProcess { start_ticks: now.start_ticks - 1, ..now.clone() },
        GuardProcess { start_ticks: 0, ..now.clone() },
        GuardProcess { boot_id: "00000000-0000-0000-0000-000000000000".to_owned(), ..now.clone() },
    ] {
        let mark = Mark::attempt(attempt);
        let ended = tokio::task::spawn_blocking(move || leftover::end(&mark, &recorded)).await.expect("no panic");
        assert_eq!((ended, stranger.try_wait().expect("asked")), (0, None));
    }
    stranger.kill().expect("ours");
    stranger.wait().expect("reaped");
}

pub async fn a_signal_to_whoever_looks_is_no_end_of_a_process() {
    // Ignored unless somebody listens, which it is here: then it interrupts system calls.
    let _listening = signal(SignalKind::window_change()).expect("a handler");
    let looking = tokio::task::spawn_blocking(|| {
        let mut child = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().expect("sleep");
        let number = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("a number");
        let held = rustix::process::pidfd_open(number, rustix::process::PidfdFlags::empty()).expect("held");
        let (looker, done) = (pthread_self(), AtomicBool::new(false));
        let seen = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    pthread_kill(looker, Signal::SIGWINCH).expect("sent");
                }
            });
            let over = (0..200_000).filter(|_| process::is_over(&held, Duration::ZERO).expect("asked")).count();
            let waited = process::is_over(&held, Duration::from_millis(20)).expect("asked");
            done.store(true, Ordering::Relaxed);
            (over, waited)
        });
        child.kill().expect("ours");
        assert_eq!(seen, (0, false), "taken for over though it ran");
        assert!(process::is_over(&held, Duration::from_secs(10)).expect("asked"));
        child.wait().expect("reaped");
    });
    looking.await.expect("no panic");
}
