//! Nobody else reads the state folder, whatever the umask: everything in it is made with its mode, and not narrowed later.

use crate::harness::{Ran, World, finished};
use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecursiveMode, Watcher};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the binary under a umask that takes nothing away.
fn open_handed(world: &World, args: &[&str]) -> Ran {
    let given = world.command(args);
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 000; exec \"$@\"", "sh"]).arg(given.get_program()).args(args);
    shell.current_dir(world.work()).env_clear().envs(given.get_envs().filter_map(|(name, value)| Some((name, value?))));
    finished(shell.stdin(std::process::Stdio::null()).output().expect("started"))
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).expect("there").permissions().mode() & 0o7777
}

/// Everything below a folder, with what is no file of goald's left out.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("read") {
        let path = entry.expect("an entry").path();
        // The test itself wrote this one.
        if path.ends_with("config.toml") {
            continue;
        }
        if path.is_dir() {
            found.extend(below(&path));
        }
        found.push(path);
    }
    found
}

fn assert_private(home: &Path) -> Vec<PathBuf> {
    assert_eq!(mode(home), 0o700);
    let found = below(home);
    for path in &found {
        assert_eq!(mode(path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
    found
}

/// The files of this folder whose mode or owner was changed after they were made.
fn changed_later(told: &std::sync::mpsc::Receiver<notify::Result<Event>>, until: &Path) -> Vec<PathBuf> {
    let mut changed = Vec::new();
    for event in told {
        let event = event.expect("watched");
        if event.paths.iter().any(|path| path == until) {
            break;
        }
        if matches!(event.kind, EventKind::Modify(ModifyKind::Metadata(_))) {
            changed.extend(event.paths.into_iter().filter(|path| !path.is_dir()));
        }
    }
    // Where root runs it, SQLite gives the database's companions to the database's owner, which is root.
    changed
        .retain(|path| !["goald.db-wal", "goald.db-shm", "goald.db-journal"].iter().any(|name| path.ends_with(name)));
    changed
}

#[test]
fn after_a_busy_session_every_folder_is_0700_and_every_file_0600_from_its_first_moment() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; echo out");
    world.file("goal.md", &"a long objective\n".repeat(1_000));
    let (tell, told) = std::sync::mpsc::channel();
    let mut watcher = notify::recommended_watcher(tell).expect("made");
    watcher.watch(&world.home(), RecursiveMode::Recursive).expect("watched");
    let goal = |args: &[&str]| open_handed(&world, args);
    goal(&["run", "--agent", "./agent.sh", "--max-rounds", "2", "-F", "goal.md"]).exits(3);
    goal(&["say", "a message"]).exits(0);
    assert_private(&world.home());
    goal(&["daemon", "restart"]).exits(0);
    goal(&["run", "--replace", "--agent", "./agent.sh", "--max-rounds", "1", "--check", "false", "x"]).exits(3);
    let found = assert_private(&world.home());
    let names = ["goald.db", "goald.db-wal", "goald.db-shm", "goald.lock", "goald.starting", "goald.log", "goald.sock"];
    for name in names.iter().chain(&["output", "objectives"]) {
        assert!(found.iter().any(|path| path.ends_with(name)), "{name} is there: {found:?}");
    }
    let extension = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "out");
    assert!(found.iter().filter(|path| extension(path)).count() >= 3, "{found:?}");
    let last = world.home().join("last");
    std::fs::write(&last, "").expect("written");
    assert_eq!(changed_later(&told, &last), Vec::<PathBuf>::new(), "made with their mode, not narrowed later");
}

#[test]
fn a_state_folder_and_files_that_were_open_to_others_are_narrowed() {
    let world = World::new();
    open_handed(&world, &["daemon", "start"]).exits(0);
    open_handed(&world, &["daemon", "stop"]).exits(0);
    std::fs::set_permissions(world.home(), PermissionsExt::from_mode(0o755)).expect("set");
    for path in below(&world.home()) {
        let wide = if path.is_dir() { 0o755 } else { 0o644 };
        std::fs::set_permissions(&path, PermissionsExt::from_mode(wide)).expect("set");
    }
    open_handed(&world, &["daemon", "start"]).exits(0);
    assert_private(&world.home());
}

#[test]
fn a_state_folder_that_is_new_is_made_private_with_those_above_it() {
    let world = World::new();
    let above = world.work().join("state");
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 000; \"$0\" daemon start && \"$0\" daemon stop", env!("CARGO_BIN_EXE_goal")]);
    finished(shell.env_clear().env("GOALD_HOME", above.join("goald")).output().expect("started")).exits(0);
    assert_eq!(mode(&above), 0o700);
    assert_private(&above.join("goald"));
}
