//! The README's first command.

use crate::harness::{World, agents_of, finished};

#[test]
fn the_demo_mends_one_thing_a_round_and_leaves_nothing_behind() {
    let world = World::new();
    let temporary = world.work().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut command = world.command(&["demo"]);
    let said = finished(command.env("TMPDIR", &temporary).output().unwrap()).exits(0);
    for part in [
        "── round 1",
        "── round 2",
        "── round 3",
        "- mul() { echo $(($1 + $2)); }",
        "+ mul() { echo $(($1 * $2)); }",
        "The check fails, so another round follows",
        "goal complete (verified)",
        "round 3 of 10",
        "next: goal rounds",
        "goal run --agent",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("round 4"), "{said}");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "the folder is gone");
    assert_eq!(agents_of(&world), [0_u32; 0]);
    // Not a trace in the user's own home.
    assert!(!world.home().join("goald.db").exists());
}
