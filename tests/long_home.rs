//! A state folder whose path is too long for a socket: nobody notices, whatever the environment says.

use crate::harness::{Ran, World, finished};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A world with a home of 200 characters and a temporary folder of its own.
struct Long {
    world: World,
    home: PathBuf,
}

impl Long {
    fn new() -> Self {
        let world = World::new();
        let above = world.work().parent().expect("a folder").to_owned();
        let rest = 200 - above.as_os_str().len() - 1;
        let home = above.join("h".repeat(rest));
        for name in ["run", "tmp"] {
            std::fs::create_dir(above.join(name)).expect("made");
            std::fs::set_permissions(above.join(name), PermissionsExt::from_mode(0o700)).expect("set");
        }
        Self { world, home }
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.world.work().parent().expect("a folder").join(name)
    }

    /// The folder for short paths in the temporary one.
    fn shared(&self) -> PathBuf {
        self.beside("tmp").join(format!("goald-{}", nix::unistd::geteuid()))
    }

    fn with(&self, variables: &[(&str, PathBuf)], args: &[&str]) -> Ran {
        let mut command = self.world.command(args);
        command.env("GOALD_HOME", &self.home).env("TMPDIR", self.beside("tmp")).envs(variables.iter().cloned());
        finished(command.output().expect("started"))
    }

    fn goal(&self, args: &[&str]) -> Ran {
        self.with(&[], args)
    }

    fn socket(&self) -> PathBuf {
        let status = self.goal(&["daemon", "status", "--json"]).json(0);
        status["socket"].as_str().expect("a path").into()
    }
}

impl Drop for Long {
    fn drop(&mut self) {
        let stopped = self.goal(&["daemon", "stop"]);
        assert!(matches!(stopped.code, 0 | 7) || std::thread::panicking(), "{stopped:?}");
    }
}

#[test]
fn a_home_of_200_characters_works_from_create_to_restart_and_leaves_no_socket() {
    let long = Long::new();
    assert_eq!(long.home.as_os_str().len(), 200);
    long.world.script("agent.sh", "cat > /dev/null; \"$GOALD_BIN\" agent complete --summary ok; echo \"said: $?\"");
    long.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "2", "x"]).exits(0);
    long.goal(&["wait"]).exits(0);
    assert!(long.goal(&["output"]).exits(0).contains("said: 0"), "the agent's own report came through");
    let socket = long.socket();
    assert!(socket.starts_with(long.shared()), "{}", socket.display());
    assert_eq!(std::fs::metadata(&socket).expect("there").permissions().mode() & 0o777, 0o600);
    long.goal(&["daemon", "restart"]).exits(0);
    assert_eq!(long.socket(), socket);
    long.goal(&["run", "--agent", "./agent.sh", "again"]).exits(0);
    long.goal(&["daemon", "stop"]).exits(0);
    assert!(!socket.exists() && !long.home.join("goald.socket-path").exists());
    let said = long.goal(&["daemon", "status"]);
    assert!(said.stderr.contains("no daemon has said where it listens"), "{said:?}");
    said.exits(7);
}

#[test]
fn shells_with_and_without_a_runtime_folder_find_the_same_daemon() {
    let long = Long::new();
    let runtime = [("XDG_RUNTIME_DIR", long.beside("run"))];
    let pid = |ran: Ran| ran.json(0)["pid"].clone();
    let first = pid(long.with(&runtime, &["daemon", "start", "--json"]));
    assert!(long.socket().starts_with(long.beside("run")));
    assert_eq!(pid(long.goal(&["daemon", "start", "--json"])), first);
    let other = [("TMPDIR", long.beside("work"))];
    assert_eq!(pid(long.with(&other, &["daemon", "start", "--json"])), first);
    let second = long.goal(&["daemon", "run"]);
    assert!(second.stderr.contains(&format!("runs already (pid {first})")), "{second:?}");
    second.exits(7);
    // Killed, it leaves its record and its socket; another shell starts the next one where that shell can.
    crate::harness::kill(i32::try_from(first.as_i64().expect("a pid")).expect("fits"));
    assert_ne!(pid(long.goal(&["daemon", "start", "--json"])), first);
    assert!(long.socket().starts_with(long.shared()));
}

#[test]
fn a_daemon_that_was_told_its_socket_is_found_by_those_who_were_not() {
    let long = Long::new();
    let told = [("GOALD_SOCKET", long.world.work().join("told.sock"))];
    let first = long.with(&told, &["daemon", "start", "--json"]).json(0)["pid"].clone();
    assert_eq!(long.goal(&["daemon", "start", "--json"]).json(0)["pid"], first);
    let long_path = [("GOALD_SOCKET", long.home.join("told.sock"))];
    let refused = long.with(&long_path, &["list", "--json"]).json(2);
    assert_eq!(refused["error"]["code"], "bad-config");
    assert!(refused["error"]["message"].as_str().expect("words").contains("at most"), "{refused}");
}

#[test]
fn a_folder_that_others_may_enter_is_refused_with_what_to_do_and_no_daemon_starts() {
    let long = Long::new();
    std::fs::create_dir(long.shared()).expect("made");
    std::fs::set_permissions(long.shared(), PermissionsExt::from_mode(0o770)).expect("set");
    let refused = long.goal(&["list"]);
    assert!(refused.stderr.contains("others may enter it") && refused.stderr.contains("GOALD_SOCKET"), "{refused:?}");
    refused.exits(7);
    assert_eq!(std::fs::read_dir(long.shared()).expect("read").count(), 0);
}

#[test]
fn somebody_elses_listener_at_the_recorded_path_is_told_nothing() {
    let long = Long::new();
    let socket = long.beside("tmp").join("other.sock");
    std::fs::create_dir(&long.home).expect("made");
    std::fs::write(long.home.join("goald.socket-path"), socket.as_os_str().as_encoded_bytes()).expect("written");
    for name in ["tmp", "work", "."] {
        std::fs::set_permissions(long.beside(name), PermissionsExt::from_mode(0o777)).expect("set");
    }
    let binary = long.world.work().join("goal");
    crate::harness::executable(&binary, &std::fs::read(env!("CARGO_BIN_EXE_goal")).expect("read"));
    let as_other = |verb: &str| {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&binary).args(["daemon", verb]);
        command.env("GOALD_HOME", long.beside("work/other")).env("GOALD_SOCKET", &socket).current_dir("/");
        finished(command.output().expect("started"))
    };
    as_other("start").exits(0);
    let refused = long.goal(&["daemon", "status"]);
    assert!(refused.stderr.contains("user 65534 listens there"), "{refused:?}");
    refused.exits(7);
    // Its own daemon is then started, and the record mended.
    assert!(long.goal(&["daemon", "start"]).exits(0).contains(long.shared().to_str().expect("UTF-8")));
    as_other("stop").exits(0);
}
