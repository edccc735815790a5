//! Who may do what, through the real binary: one of each kind. What tries to get around it has files of its own.

mod client;
mod doors;
mod leftovers;
mod namespaces;
mod restart;

use crate::harness::{World, finished};

/// Runs a line of shell in a goal's round and gives what it printed, with the exit codes.
fn in_a_round(line: &str) -> (World, String) {
    let world = World::new();
    world.script("agent.sh", &format!("cat > /dev/null; ({line}) > said.txt 2>&1"));
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    let said = world.read("said.txt");
    (world, said)
}

#[test]
fn an_agent_in_a_round_may_report_and_nothing_else_and_each_try_is_recorded() {
    let (world, said) = in_a_round(
        "for verb in resume 'edit --max-rounds 9999' 'edit --objective less' clear complete 'block --reason x' pause 'say hello' 'agent pause' 'agent edit --objective less' 'agent create another' purge 'purge --all' 'purge --dry-run' 'daemon stop'; \
         do \"$GOALD_BIN\" $verb; echo \"$verb: $?\"; done",
    );
    for verb in [
        "resume",
        "edit --max-rounds 9999",
        "edit --objective less",
        "clear",
        "complete",
        "block --reason x",
        "pause",
        "say hello",
        "agent pause",
        "agent edit --objective less",
        "agent create another",
        "purge",
        "purge --all",
        "purge --dry-run",
        "daemon stop",
    ] {
        assert!(said.contains(&format!("{verb}: 6\n")), "{verb} is not permitted: {said}");
    }
    let tried: Vec<String> = world
        .logged("authority/refused")
        .iter()
        .map(|event| event["data"]["operation"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        tried,
        [
            "resume",
            "edit-other",
            "edit-objective",
            "clear",
            "complete",
            "block",
            "pause",
            "say",
            "pause",
            "edit-objective",
            "create",
            "purge",
            "purge",
            "purge",
            "stop-daemon"
        ]
    );
    let status = world.status();
    assert_eq!((status["goal"]["maxGoalRounds"].as_u64(), status["goal"]["revision"].as_u64()), (Some(1), Some(2)));
}

#[test]
fn an_agent_without_its_token_is_still_no_human() {
    let (world, said) = in_a_round(
        "unset GOALD_TOKEN; \"$GOALD_BIN\" resume; echo \"a: $?\"; \
         env -u GOALD_ATTEMPT \"$GOALD_BIN\" edit --max-rounds 9; echo \"b: $?\"; \
         \"$GOALD_BIN\" status > /dev/null; echo \"read: $?\"",
    );
    assert!(said.contains("a: 6") && said.contains("b: 6") && said.contains("read: 0"), "{said}");
    let whys: Vec<String> = world
        .logged("authority/refused")
        .iter()
        .map(|event| event["actor"]["why"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(whys, ["attempt-marker", "attempt-marker"]);
}

#[test]
fn an_agent_with_an_empty_environment_is_known_by_its_ancestors() {
    let (world, said) = in_a_round(
        "home=$(dirname \"$GOALD_SOCKET\"); env -i GOALD_HOME=\"$home\" \"$GOALD_BIN\" clear; echo \"exit $?\"",
    );
    assert!(said.contains("exit 6"), "{said}");
    assert_eq!(world.status()["goal"]["phase"], "blocked", "the goal is still there");
}

#[test]
fn the_token_of_an_ended_attempt_gives_no_rights() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; printf %s \"$GOALD_TOKEN\" > token.txt");
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(3);
    let token = world.read("token.txt");
    assert_eq!(token.len(), 70);
    let mut command = world.command(&["resume", "--json"]);
    let refused = finished(command.env("GOALD_TOKEN", token).output().unwrap()).json(6);
    assert_eq!(refused["error"]["code"], "not-permitted");
    assert_eq!(world.logged("authority/refused")[0]["actor"]["why"], "dead-token");
}

#[test]
fn an_agent_in_a_humans_turn_may_edit_the_objective_pause_resume_and_create_but_no_limits() {
    let world = World::new();
    world.script(
        "agent.sh",
        "cat > /dev/null; [ -z \"$GOALD_ROUND\" ] || exec sleep 1000; \
         { for verb in 'agent create --max-rounds 5 a new goal' 'agent edit --objective another' 'edit --max-rounds 9999' 'edit --check true' 'agent pause' 'agent resume' 'agent pause' clear; \
         do \"$GOALD_BIN\" $verb; echo \"$verb: $?\"; done; \"$GOALD_BIN\" agent create --max-rounds 9999 more; echo \"more: $?\"; } > said.txt 2>&1",
    );
    world.goal(&["say", "--agent", "./agent.sh", "set yourself a goal"]).exits(0);
    world.events().next("message/delivered");
    let said = world.read("said.txt");
    for (verb, code) in [
        ("agent create --max-rounds 5 a new goal", 0),
        ("agent edit --objective another", 0),
        ("edit --max-rounds 9999", 6),
        ("edit --check true", 6),
        ("agent pause", 0),
        ("agent resume", 0),
        ("clear", 6),
        ("more", 6),
    ] {
        assert!(said.contains(&format!("{verb}: {code}\n")), "{verb} should exit with {code}: {said}");
    }
    let goal = &world.status()["goal"];
    assert_eq!(
        (goal["objective"].as_str(), goal["maxGoalRounds"].as_u64(), goal["phase"].as_str()),
        (Some("another"), Some(5), Some("paused"))
    );
}

#[test]
fn a_check_may_read_and_nothing_else() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null");
    let goal = env!("CARGO_BIN_EXE_goal");
    let check = format!(
        "GOALD_HOME='{}' '{goal}' clear > said.txt 2>&1; echo \"exit $?\" >> said.txt; false",
        world.home().display()
    );
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "--check", &check, "x"]).exits(3);
    assert!(world.read("said.txt").contains("exit 6"), "{}", world.read("said.txt"));
}

#[test]
fn a_daemon_is_never_started_from_inside_an_agent() {
    let world = World::new();
    let mut command = world.command(&["list", "--json"]);
    let refused = finished(command.env("GOALD_ATTEMPT", "x").output().unwrap()).json(7);
    assert_eq!(refused["error"]["code"], "unreachable");
    assert!(!world.home().join("goald.sock").exists());
}

#[test]
fn a_peer_of_another_user_is_turned_away() {
    use std::os::unix::fs::PermissionsExt;
    if !nix::unistd::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "needs root to be two users");
        crate::harness::skipped("a peer of another user", "run the tests as root");
        return;
    }
    let world = World::new();
    // The other user must reach the binary and its own home; the folder's mode would hide both.
    let open = |path: &std::path::Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let binary = world.work().join("goal");
    crate::harness::executable(&binary, &std::fs::read(env!("CARGO_BIN_EXE_goal")).unwrap());
    open(&world.work());
    open(world.work().parent().unwrap());
    std::os::unix::fs::chown(world.home(), Some(65_534), Some(65_534)).unwrap();
    let as_other = |verb: &str| {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&binary).args(["daemon", verb]);
        finished(command.env("GOALD_HOME", world.home()).current_dir("/").output().unwrap())
    };
    as_other("start").exits(0);
    let refused = world.goal(&["list", "--json"]).json(6);
    assert_eq!(refused["error"]["code"], "foreign-user");
    // It has no session to be recorded in; the daemon's own log says so.
    let log = std::fs::read_to_string(world.home().join("goald.log")).unwrap();
    assert!(log.contains("a peer of another user was turned away uid=0"), "{log}");
    as_other("stop").exits(0);
}
