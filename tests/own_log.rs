//! The daemon's own log: bounded, and followed from one file into the next.

use crate::harness::World;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

#[test]
fn a_full_log_moves_on_with_the_daemons_standard_error_and_whoever_follows_it() {
    let world = World::new();
    let log = world.home().join("goald.log");
    // Almost full: the daemon's first words still fit, and a few hundred bytes after them do not.
    std::fs::write(&log, format!("{}\n", "x".repeat(8 * 1024 * 1024 - 400))).expect("written");
    std::fs::set_permissions(&log, PermissionsExt::from_mode(0o600)).expect("set");
    world.goal(&["daemon", "start"]).exits(0);
    let mut follower = world.command(&["daemon", "logs", "--follow"]).stdout(Stdio::piped()).spawn().expect("started");
    let mut lines = BufReader::new(follower.stdout.take().expect("piped")).lines().map(|line| line.expect("read"));
    assert!(lines.any(|line| line.contains("the daemon listens")), "the old file is read");
    for _ in 0..4 {
        world.goal(&["daemon", "restart"]).exits(0);
    }
    let first = format!("pid={}", world.daemon_pid());
    assert!(lines.any(|line| line.contains(&first)), "the new file is followed");
    follower.kill().expect("killed");
    follower.wait().expect("ended");
    let older = world.home().join("goald.log.1");
    assert!(std::fs::metadata(&older).expect("it moved").len() <= 8 * 1024 * 1024);
    for path in [&log, &older] {
        assert_eq!(std::fs::metadata(path).expect("there").permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_detached_daemons_standard_error_goes_on_in_the_new_file() {
    let world = World::new();
    let log = world.home().join("goald.log");
    let mut file = std::fs::File::create(&log).expect("made");
    file.write_all("x".repeat(8 * 1024 * 1024).as_bytes()).expect("written");
    world.goal(&["daemon", "start"]).exits(0);
    assert!(world.home().join("goald.log.1").exists());
    let error = std::fs::read_link(format!("/proc/{}/fd/2", world.daemon_pid())).expect("read");
    assert_eq!(error, log.canonicalize().expect("there"));
}
