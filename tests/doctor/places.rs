//! Folders, files, modes and configuration.

use super::{codes, examined, kept, problems, report, snapshot};
use crate::harness::{World, executable, finished, skipped};
use goald_schema::doctor::FindingCode;
use std::os::unix::fs::{PermissionsExt, chown};

#[test]
fn without_a_state_folder_there_is_nothing_to_be_wrong_and_none_is_made() {
    let world = World::new();
    let nowhere = world.work().join("nowhere");
    let mut command = world.command(&["doctor", "--json"]);
    let found = report(finished(command.env("GOALD_HOME", &nowhere).output().expect("started")), 0);
    assert!(found.findings.iter().any(|finding| finding.code == Some(FindingCode::NothingYet)), "{found:?}");
    assert!(!nowhere.exists());
}

#[test]
fn a_home_that_is_a_file_or_below_one_is_told() {
    let world = World::new();
    let file = world.file("file", "x");
    for home in [file.clone(), file.join("below")] {
        let mut command = world.command(&["doctor", "--json"]);
        let found = report(finished(command.env("GOALD_HOME", &home).output().expect("started")), 1);
        assert!(codes(&found.findings).contains(&"not-a-folder"), "{found:?}");
    }
    assert_eq!(world.read("file"), "x");
}

#[test]
fn what_others_can_read_is_told_and_not_narrowed() {
    let world = kept();
    std::fs::set_permissions(world.home().join("goald.db"), PermissionsExt::from_mode(0o640)).expect("set");
    std::fs::set_permissions(world.home().join("output"), PermissionsExt::from_mode(0o755)).expect("set");
    let findings = examined(&world, 1);
    assert_eq!(codes(&findings), ["open-to-others"]);
    let told = &findings.iter().find(|finding| finding.code == Some(FindingCode::OpenToOthers)).expect("told").message;
    assert!(told.contains("goald.db (mode 0640)") && told.contains("output (mode 0755)"), "{told}");
}

#[test]
fn what_an_interrupted_write_left_is_noted() {
    let world = kept();
    let left = world.home().join("x.partial-1");
    std::fs::write(&left, "").expect("written");
    std::fs::set_permissions(&left, PermissionsExt::from_mode(0o600)).expect("set");
    assert!(examined(&world, 0).iter().any(|finding| finding.code == Some(FindingCode::LeftoverFile)));
}

#[test]
fn a_state_folder_behind_a_link_is_looked_through() {
    let world = kept();
    let link = world.work().join("link");
    std::os::unix::fs::symlink(world.home(), &link).expect("made");
    std::fs::set_permissions(world.home().join("goald.log"), PermissionsExt::from_mode(0o604)).expect("set");
    let mut command = world.command(&["doctor", "--json"]);
    let found = report(finished(command.env("GOALD_HOME", &link).output().expect("started")), 1);
    assert_eq!(codes(&found.findings), ["open-to-others"], "{found:?}");
}

#[test]
fn a_long_objective_that_was_changed_where_agents_read_it_is_told() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    world.file("goal.md", &"a long objective\n".repeat(1_000));
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "--check", "false", "-F", "goal.md"]).exits(3);
    world.goal(&["daemon", "stop"]).exits(0);
    examined(&world, 0);
    let mut laid = std::fs::read_dir(world.home().join("objectives")).expect("read");
    let path = laid.next().expect("one").expect("an entry").path();
    std::fs::write(&path, "another objective").expect("written");
    assert_eq!(problems(&world), ["text-damaged"]);
}

#[test]
fn a_word_that_is_no_key_and_a_program_that_is_not_there_are_told() {
    let world = kept();
    let config = world.home().join("config.toml");
    std::fs::set_permissions(&config, PermissionsExt::from_mode(0o664)).expect("set");
    assert_eq!(problems(&world), ["open-to-others"]);
    std::fs::set_permissions(&config, PermissionsExt::from_mode(0o644)).expect("set");
    world.config("maxAttemps = 3\n");
    assert_eq!(problems(&world), ["config-unusable"]);
    world.config("[agents.a]\nkind = 'command'\ncommand = ['./nowhere.sh']\n");
    assert_eq!(problems(&world), ["agent-missing"]);
}

#[test]
fn output_files_that_are_gone_foreign_or_too_large_are_noted() {
    let world = kept();
    let mut outputs: Vec<_> = std::fs::read_dir(world.home().join("output"))
        .expect("read")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    std::fs::rename(outputs.pop().expect("one"), world.home().join("output/other.out")).expect("moved");
    std::fs::write(outputs.pop().expect("another"), "x".repeat(1_000)).expect("written");
    world.config("outputCap = 10\n");
    let noted: Vec<_> = examined(&world, 0).iter().filter_map(|finding| finding.code).collect();
    for code in [FindingCode::OutputGone, FindingCode::OutputUnknown, FindingCode::OutputTooLarge] {
        assert!(noted.contains(&code), "{code}: {noted:?}");
    }
}

#[test]
fn a_folder_that_can_only_be_read_is_told_and_everything_in_it_is_looked_at() {
    let ours = nix::unistd::geteuid();
    if !ours.is_root() {
        assert!(std::env::var_os("CI").is_none(), "only root can be another user");
        return skipped("a folder that can only be read", "run the tests as root");
    }
    let world = kept();
    world.goal(&["-s", "first", "say", "a word"]).exits(0);
    world.kill_daemon();
    let other = 64_321;
    for path in snapshot(&world.home()).into_keys() {
        chown(&path, Some(other), Some(other)).expect("given away");
    }
    std::fs::set_permissions(world.home(), PermissionsExt::from_mode(0o500)).expect("set");
    let above = world.home().parent().expect("above").to_owned();
    std::fs::set_permissions(&above, PermissionsExt::from_mode(0o755)).expect("set");
    let program = world.work().join("goal");
    executable(&program, &std::fs::read(env!("CARGO_BIN_EXE_goal")).expect("read"));
    let before = snapshot(&world.home());
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=64321", "--regid=64321", "--clear-groups"]).arg(&program).args(["doctor", "--json"]);
    command.current_dir("/").env_clear().env("GOALD_HOME", world.home());
    let found = report(finished(command.output().expect("started")), 1);
    assert_eq!(codes(&found.findings), ["not-writable"], "{found:?}");
    assert!(found.findings.iter().any(|finding| finding.message.contains("every chain holds")), "{found:?}");
    assert!(before == snapshot(&world.home()));
    // And for somebody else, who may not look at all.
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=64322", "--regid=64322", "--clear-groups"]).arg(&program).args(["doctor", "--json"]);
    command.current_dir("/").env_clear().env("GOALD_HOME", world.home());
    let found = report(finished(command.output().expect("started")), 1);
    assert!(codes(&found.findings).contains(&"unreadable"), "{found:?}");
    for path in snapshot(&world.home()).into_keys() {
        chown(&path, Some(0), Some(0)).expect("taken back");
    }
}
