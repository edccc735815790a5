//! Damage that is seen while an attempt runs: it is cancelled, nothing starts any more, and the daemon can be stopped.

use super::takes_no_change;
use crate::harness::{World, agents_of, gone, open};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;

/// An armed goal whose first attempt runs until it is ended.
fn working() -> (World, std::fs::File) {
    let world = World::new();
    world.fifo("held");
    world.script("agent.sh", "echo start >> starts; cat > /dev/null; exec sleep 600 > held");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "9", "x"]).exits(0);
    let held = open(&world.work().join("held"));
    (world, held)
}

/// The attempt ends, no other follows, the daemon stays and stops when it is told to.
fn gives_up(world: &World, held: std::fs::File) {
    gone(held);
    takes_no_change(world);
    let status = world.status();
    assert_eq!(status["activation"], "disarmed", "{status}");
    world.goal(&["daemon", "stop"]).exits(0);
    assert_eq!(agents_of(world), Vec::<u32>::new());
    assert_eq!(world.read("starts"), "start\n", "no further attempt was started");
}

#[test]
fn a_database_that_is_removed_under_an_attempt_ends_it() {
    let (world, held) = working();
    std::fs::remove_file(world.home().join("goald.db")).unwrap();
    // A look is enough to notice it; nobody has to ask for a change.
    assert!(world.goal(&["list"]).stderr.contains("removed or replaced"));
    gives_up(&world, held);
}

#[test]
fn a_pause_that_cannot_be_recorded_stops_all_the_same() {
    let (world, held) = working();
    let log = OpenOptions::new().read(true).write(true).open(world.home().join("goald.db-wal")).unwrap();
    let length = log.metadata().unwrap().len();
    log.write_all_at(&vec![0xff; usize::try_from(length - 32).unwrap()], 32).unwrap();
    let refused = world.goal(&["pause", "--json"]).json(1);
    assert_eq!(refused["error"]["code"], "store-damaged");
    gives_up(&world, held);
}
