//! A state folder that can only be read: said clearly, and nothing is half-made.

use super::{files, stopped};
use crate::harness::{Ran, World, executable, finished};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modes bind only somebody who is not root.
const OTHER: u32 = 64_331;

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Gives the state folder to somebody.
fn give(world: &World, uid: u32) {
    let mut paths = vec![world.home()];
    while let Some(path) = paths.pop() {
        chown(&path, Some(uid), Some(uid)).unwrap();
        if path.is_dir() {
            paths.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
}

fn as_other(world: &World, program: &Path, args: &[&str]) -> Ran {
    let mut command = Command::new("setpriv");
    command.arg(format!("--reuid={OTHER}")).arg(format!("--regid={OTHER}")).arg("--clear-groups");
    command.arg(program).args(args).current_dir(world.work()).env_clear().env("GOALD_HOME", world.home());
    finished(command.output().unwrap())
}

#[test]
fn a_folder_or_a_database_that_may_not_be_written_refuses_to_start_and_leaves_nothing() {
    for (folder, database) in [(0o500, 0o600), (0o700, 0o400), (0o500, 0o400)] {
        let world = stopped();
        let program = world.work().join("goal");
        executable(&program, &std::fs::read(env!("CARGO_BIN_EXE_goal")).unwrap());
        let above = world.home().parent().unwrap().to_owned();
        mode(&above, 0o755);
        give(&world, OTHER);
        mode(&world.home().join("goald.db"), database);
        mode(&world.home(), folder);
        let before = files(&world);
        for verb in [&["daemon", "run", "--json"][..], &["list", "--json"]] {
            let ran = as_other(&world, &program, verb);
            assert_eq!(ran.code, 1, "{folder:o} {database:o} {verb:?}: {ran:?}");
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(said.contains("store-read-only"), "{folder:o} {database:o} {verb:?}: {ran:?}");
        }
        assert!(files(&world) == before, "not a byte is changed");
        assert!(!world.home().join("goald.sock").exists());
        mode(&world.home(), 0o700);
        mode(&world.home().join("goald.db"), 0o600);
        give(&world, 0);
        world.goal(&["list"]).exits(0);
    }
}

/// A file system of its own below the state folder.
struct Mount<'a> {
    world: &'a World,
    folder: PathBuf,
}

impl<'a> Mount<'a> {
    fn new(world: &'a World) -> Self {
        let mount = Self { world, folder: world.home() };
        mount.run("mount", &["-t", "tmpfs", "-o", "mode=700", "none"]);
        world.config("retryBase = '10ms'\n");
        mount
    }

    fn run(&self, program: &str, args: &[&str]) {
        let ran = Command::new(program).args(args).arg(&self.folder).output().unwrap();
        assert!(ran.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        // Its daemon holds files there.
        drop(self.world.goal(&["daemon", "stop"]));
        drop(Command::new("umount").arg("-l").arg(&self.folder).output());
    }
}

#[test]
fn a_file_system_that_is_read_only_refuses_to_start_and_goes_on_once_it_can_be_written() {
    let world = World::new();
    let mount = Mount::new(&world);
    world.script("agent.sh", "cat > /dev/null");
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    let refused = Command::new("mount").args(["-o", "remount,ro"]).arg(world.home()).output().unwrap();
    assert!(!refused.status.success(), "the system does not take it away from a daemon that writes there");
    world.goal(&["daemon", "stop"]).exits(0);
    let before = files(&world);
    mount.run("mount", &["-o", "remount,ro"]);
    for verb in [&["list", "--json"][..], &["resume", "--json"]] {
        let refused = world.goal(verb).json(1);
        assert_eq!(refused["error"]["code"], "store-read-only", "{refused}");
    }
    assert!(files(&world) == before, "not a byte is changed");
    mount.run("mount", &["-o", "remount,rw"]);
    world.goal(&["clear"]).exits(0);
    world.goal(&["run", "--agent", "./agent.sh", "--check", "true", "y"]).exits(0);
}
