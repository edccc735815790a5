//! Gate, prompt, fence, and what an agent inherits.

use crate::world::{Witness, World, goal, let_go, open, reaped};
use goald_daemon::guard::{EndStatus, Ended, Guard, GuardError, SpawnFailureKind};
use goald_schema::event::Delivered;
use std::path::Path;
use std::process::Command;
use tokio::io::AsyncReadExt;

pub async fn nothing_runs_while_the_gate_is_closed() {
    let world = World::new();
    let guard = Guard::spawn(&goal(), world.script("echo ran > ran")).await.expect("a guard");
    let pid = guard.process().pid;
    assert!(goald_daemon::process::is_alive(guard.process()));
    // The guard has said that it is ready, and has no child.
    assert!(!goald_daemon::process::all().iter().any(|process| process.parent == pid));
    assert!(!world.path("ran").exists());
    let mut running = guard.open().expect("open");
    assert_eq!(running.ended().await.status, EndStatus::Code(0));
    assert_eq!(world.read("ran"), "ran\n");
}

pub async fn a_prompt_larger_than_a_pipe_arrives_whole() {
    let world = World::new();
    let mut launch = world.script("cat > got");
    launch.stdin = (0..300 * 1024_u32).flat_map(|n| (n % 251).to_string().into_bytes()).take(300 * 1024).collect();
    let sent = launch.stdin.clone();
    let ended = open(launch).await.ended().await;
    assert_eq!(ended, Ended { status: EndStatus::Code(0), delivered: Delivered::Yes, leftovers: 0 });
    assert!(std::fs::read(world.path("got")).expect("got") == sent);
}

pub async fn an_agent_that_never_reads_its_prompt_hangs_nothing() {
    let world = World::new();
    for (size, name) in [(10, "small"), (300 * 1024, "large")] {
        let mut launch = world.script("exit 4");
        launch.stdin = vec![b'x'; size];
        let ended = open(launch).await.ended().await;
        assert_eq!(ended, Ended { status: EndStatus::Code(4), delivered: Delivered::No, leftovers: 0 }, "{name}");
    }
}

pub async fn after_a_fence_no_further_byte_of_the_prompt_can_be_read() {
    let world = World::new();
    let (says, go) = (world.witness("says"), world.witness("go"));
    let mut launch =
        world.script("exec 9>says; dd bs=10 count=1 of=first status=none; echo read >&9; read x < go; cat > rest");
    launch.stdin = vec![b'x'; 300 * 1024];
    let mut running = open(launch).await;
    let (line, witness) = Witness::open(&says).await.line().await;
    assert_eq!(line, "read");
    assert_eq!(running.control.fence().await, Delivered::Unknown);
    let_go(go).await;
    assert_eq!(running.ended().await.delivered, Delivered::Unknown);
    assert_eq!((world.read("first").len(), world.read("rest").len()), (10, 0));
    assert_eq!(running.control.fence().await, Delivered::Unknown, "a fence after the end says what the end said");
    witness.gone().await;
}

pub async fn a_fence_before_anything_was_read_takes_everything_back() {
    let world = World::new();
    let (says, go) = (world.witness("says"), world.witness("go"));
    let mut launch = world.script("exec 9>says; echo up >&9; read x < go; cat > rest");
    launch.stdin = b"a small prompt".to_vec();
    let mut running = open(launch).await;
    let _witness = Witness::open(&says).await.line().await;
    assert_eq!(running.control.fence().await, Delivered::No);
    let_go(go).await;
    assert_eq!(running.ended().await.status, EndStatus::Code(0));
    assert_eq!(world.read("rest"), "");
}

pub async fn an_agent_inherits_no_descriptor_no_ignored_signal_and_no_foreign_variable() {
    let world = World::new();
    // A guard whose starter ignores signals, as a shell does for what it starts in the background.
    let wrapper = world.path("ignoring");
    // Written by another process: a descriptor open for writing could slip into a child of another test, and a file that
    // is open for writing cannot be run.
    let text = format!("#!/bin/sh\ntrap '' INT QUIT HUP PIPE\nexec '{}' \"$@\"\n", goal().display());
    let script = "printf %s \"$1\" > ignoring; chmod 700 ignoring";
    let written = Command::new("/bin/sh").args(["-c", script, "sh", &text]).current_dir(world.path("")).status();
    assert!(written.expect("a shell").success());
    let mut launch = world.script("");
    launch.program = "/bin/cat".into();
    launch.args = ["/proc/self/status", "/proc/self/environ"].map(str::to_owned).to_vec();
    let mut running = Guard::spawn(&wrapper, launch).await.expect("a guard").open().expect("open");
    let mut text = String::new();
    running.stdout.read_to_string(&mut text).await.expect("text");
    running.ended().await;
    let signals = |name: &str| {
        let digits = text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).expect("a field");
        // The first 31: those above belong to the C library.
        u64::from_str_radix(digits, 16).expect("digits") & 0x7fff_ffff
    };
    assert_eq!((signals("SigBlk:"), signals("SigIgn:")), (0, 0));
    assert!(text.ends_with("PATH=/usr/bin:/bin\0"), "{text}");

    let mut launch = world.script("");
    launch.program = "/bin/ls".into();
    launch.args = vec!["/proc/self/fd".to_owned()];
    let mut running = open(launch).await;
    let mut text = String::new();
    running.stdout.read_to_string(&mut text).await.expect("text");
    running.ended().await;
    // The fourth is the folder that `ls` reads.
    assert_eq!(text, "0\n1\n2\n3\n");
}

pub async fn a_missing_program_and_a_missing_folder_are_told_apart() {
    let world = World::new();
    let mut no_program = world.script("");
    no_program.program = world.path("absent");
    no_program.stdin = b"prompt".to_vec();
    let mut no_folder = world.script("");
    no_folder.cwd = world.path("absent");
    let mut a_file = world.script("");
    std::fs::write(world.path("file"), "").expect("written");
    a_file.cwd = world.path("file");
    for (launch, kind) in [
        (no_program, SpawnFailureKind::Program),
        (no_folder, SpawnFailureKind::Folder),
        (a_file, SpawnFailureKind::Folder),
    ] {
        let ended = open(launch).await.ended().await;
        let EndStatus::SpawnFailed(failure) = ended.status else { panic!("{ended:?}") };
        assert_eq!((failure.kind, ended.delivered), (kind, Delivered::No));
        assert!(failure.message.starts_with(world.path("").to_str().expect("text")), "{}", failure.message);
    }
}

pub async fn exit_codes_and_signals_are_told() {
    let world = World::new();
    for (script, status) in [("exit 7", EndStatus::Code(7)), ("kill -SEGV $$", EndStatus::Signal(11))] {
        assert_eq!(world.run(script).await.ended().await.status, status);
    }
}

pub async fn a_program_that_is_no_guard_is_an_error() {
    let world = World::new();
    let absent = Guard::spawn(&world.path("absent"), world.script("")).await.expect_err("no program");
    assert!(matches!(absent, GuardError::Start { .. }), "{absent}");
    let other = Guard::spawn(Path::new("/bin/true"), world.script("")).await.expect_err("no guard");
    assert!(matches!(other, GuardError::Gone), "{other}");
}

pub async fn guards_are_reaped() {
    let world = World::new();
    let guard = Guard::spawn(&goal(), world.script("exit 0")).await.expect("a guard");
    let pid = guard.process().pid;
    guard.open().expect("open").ended().await;
    reaped(pid).await;
    let dropped = Guard::spawn(&goal(), world.script("exit 0")).await.expect("a guard");
    let pid = dropped.process().pid;
    drop(dropped);
    reaped(pid).await;
}
