//! Agents that do what no agent should: each ends in the right outcome, in bounded memory, and leaves nothing.

use super::{Counts, Trial};
use crate::harness::{World, agents_of, finished, gone, open, read_fifo};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The peak of the daemon's memory, and of the guard's, whatever an agent prints.
pub const LIMIT_KIB: u64 = 64 << 10;

/// The peak of a process's memory in KiB, as the kernel reports it.
pub fn peak(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("told");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// A configuration with `agent.sh` of the workspace as the only agent.
fn configure(world: &World, output: &str, more: &str) {
    let agent = world.work().join("agent.sh");
    let profile = format!("[agents.a]\nkind = 'command'\ncommand = ['{}']\noutput = '{output}'\n", agent.display());
    world.config(&format!("retryBase = '10ms'\n{more}\n{profile}"));
}

/// The outcome of the last attempt, and why the goal is blocked.
fn outcome(world: &World) -> (Value, String) {
    let ended = world.logged("attempt/ended").pop().expect("an attempt ended");
    let reason = world.status()["goal"]["blockedReason"]["code"].as_str().unwrap_or("not blocked").to_owned();
    (ended["data"]["outcome"].clone(), reason)
}

/// Lets an agent print that much, in megabytes, and looks at the memory while it is still there.
fn floods(name: &'static str, output: &str, print: &str) {
    floods_by(Counts { few: 48, short: 256, full: 2_048 }, name, output, print);
}

fn floods_by(counts: Counts, name: &'static str, output: &str, print: &str) {
    let mut trial = Trial::new(name, counts);
    let world = World::new();
    configure(&world, output, "");
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    let bytes = u64::from(trial.count()) << 20;
    let print = print.replace("BYTES", &bytes.to_string());
    let end = r#"echo '{"type":"end","result":"completed"}'"#;
    world.script("agent.sh", &format!("cat > /dev/null; {print}; echo; {end}; echo up > up; cat go > /dev/null"));
    let began = Instant::now();
    world.goal(&["create", "--max-rounds", "1", "x"]).exits(0);
    read_fifo(&up);
    let took = began.elapsed();
    let guard = world.logged("attempt/started")[0]["data"]["guard"]["pid"].as_i64().expect("a pid");
    let guard = peak(i32::try_from(guard).expect("fits"));
    std::fs::write(&go, "go").expect("written");
    world.goal(&["wait"]).exits(3);
    let daemon = peak(world.daemon_pid());
    assert_eq!(outcome(&world), (json!({"kind": "completed"}), "round-limit".to_owned()));
    assert!(daemon < LIMIT_KIB && guard < LIMIT_KIB, "peaks: daemon {daemon} KiB, guard {guard} KiB");
    let kept = std::fs::read_dir(world.home().join("output"))
        .expect("read")
        .map(|entry| entry.and_then(|entry| entry.metadata()).expect("a file").len());
    assert!(kept.sum::<u64>() <= (64 << 20) + 200, "more was kept than the cap");
    let own = std::fs::metadata(world.home().join("goald.log")).expect("a file").len();
    assert!(own < 1 << 20, "the daemon's own log has {own} bytes");
    assert_eq!(agents_of(&world), [0_u32; 0]);
    trial.result("MiB printed in", format!("{took:.1?}"));
    trial.result("peak of the daemon", format!("{daemon} KiB"));
    trial.result("of the guard", format!("{guard} KiB (limit {LIMIT_KIB} KiB each)"));
}

#[test]
fn an_agent_that_prints_line_after_line() {
    floods("hostile: MiB of lines", "text", "yes 'a line of output' | head -c BYTES");
}

#[test]
fn an_agent_that_prints_one_line_without_end() {
    floods("hostile: MiB in one line", "text", "head -c BYTES /dev/zero | tr '\\0' x");
}

#[test]
fn an_agent_that_prints_bytes_that_are_no_text_on_standard_error() {
    floods("hostile: MiB of no text on stderr", "text", "head -c BYTES /dev/zero | tr '\\0' '\\377' >&2");
}

#[test]
fn an_agent_that_prints_message_after_message() {
    floods("hostile: MiB of messages", "json-lines", r#"yes '{"type":"text","text":"on and on"}' | head -c BYTES"#);
}

#[test]
fn an_agent_that_warns_and_warns_fills_no_log() {
    let print = r#"yes '{"type":"warning","message":"beware"}' | head -c BYTES"#;
    floods("hostile: MiB of warnings", "json-lines", print);
}

#[test]
fn an_agent_that_prints_one_message_without_end() {
    let print = r#"printf '{"type":"text","text":"'; head -c BYTES /dev/zero | tr '\0' x; echo '"}'"#;
    floods("hostile: MiB in one message", "json-lines", print);
}

#[test]
fn an_agent_that_prints_empty_lines() {
    // A line a byte: each costs as much as a longer one.
    let counts = Counts { few: 2, short: 16, full: 128 };
    floods_by(counts, "hostile: MiB of empty lines", "json-lines", "head -c BYTES /dev/zero | tr '\\0' '\\n'");
}

#[test]
fn an_agent_whose_messages_are_as_long_as_may_be_does_not_make_its_record_unreadable() {
    let long = "head -c 900000 /dev/zero | tr '\\0' x";
    for message in [
        format!(r#"printf '{{"type":"session","id":"'; {long}; echo '"}}'"#),
        r#"echo '{"type":"session","id":"nul \u0000 and escape \u001b"}'"#.to_owned(),
        r#"echo '{"type":"session","id":""}'"#.to_owned(),
        format!(r#"printf '{{"type":"text","text":"'; {long}; echo '"}}'"#),
        format!(r#"printf '{{"type":"warning","message":"'; {long}; echo '"}}'"#),
    ] {
        let world = World::new();
        configure(&world, "json-lines", "");
        let end = r#"echo '{"type":"end","result":"completed"}'"#;
        world.script("agent.sh", &format!("cat > /dev/null; {message}; {end}"));
        world.goal(&["run", "--max-rounds", "3", "x"]).exits(3);
        // A second and a third attempt came to be, so nothing of the first stood in their way.
        assert_eq!(outcome(&world), (json!({"kind": "completed"}), "round-limit".to_owned()), "{message}");
        assert_eq!(world.logged("attempt/ended").len(), 3);
    }
}

#[test]
fn an_agent_that_fails_with_more_words_than_a_line_may_have_is_shown_all_the_same() {
    let long = "head -c 1000000 /dev/zero | tr '\\0' x";
    for (kind, attempts, reason) in [("configuration", 1, "agent-failed"), ("transient", 5, "attempt-limit")] {
        let world = World::new();
        configure(&world, "json-lines", "");
        let failed = format!(
            r#"printf '{{"type":"end","result":"failed","kind":"{kind}","message":"'; {long}; echo ' the end"}}'"#
        );
        world.script("agent.sh", &format!("cat > /dev/null; {failed}"));
        world.goal(&["run", "x"]).exits(3);
        let (ended, code) = outcome(&world);
        assert_eq!((world.logged("attempt/ended").len(), code.as_str()), (attempts, reason));
        let words = ended["failure"]["message"].as_str().expect("words");
        assert!(words.len() < 10_000 && words.ends_with(" the end"), "{} bytes", words.len());
        let shown = world.goal(&["status"]).exits(0);
        assert!(shown.contains(&words[..100]) && shown.len() < 10_000, "{shown}");
    }
}

#[test]
fn an_agent_that_never_ends_runs_out_of_time() {
    let world = World::new();
    configure(&world, "text", "roundTimeout = '200ms'");
    let held = world.fifo("held");
    world.script("agent.sh", "exec 3> held; while :; do sleep 0.05; echo on and on; done");
    world.goal(&["create", "--max-rounds", "1", "x"]).exits(0);
    gone(open(&held));
    world.goal(&["wait"]).exits(3);
    assert_eq!(outcome(&world), (json!({"kind": "timeout", "bound": "round"}), "round-limit".to_owned()));
    assert_eq!(agents_of(&world), [0_u32; 0]);
}

#[test]
fn an_agent_that_heeds_no_signal_is_killed_with_all_it_started() {
    let world = World::new();
    configure(&world, "text", "roundTimeout = '100ms'");
    let (held, left) = (world.fifo("held"), world.fifo("left"));
    let deaf = "trap '' HUP INT QUIT TERM USR1 USR2 ALRM PIPE TSTP";
    world.script(
        "agent.sh",
        &format!("{deaf}; (setsid sh -c 'exec 3> left; while :; do sleep 100; done' &); exec 3> held; while :; do sleep 100; done"),
    );
    world.goal(&["create", "--max-rounds", "1", "x"]).exits(0);
    let (held, left) = (open(&held), open(&left));
    let began = Instant::now();
    gone(held);
    gone(left);
    // The whole ladder: 5 s to the terminate, 5 s to the kill.
    assert!(began.elapsed() > Duration::from_secs(8), "it was killed before its time");
    world.goal(&["wait"]).exits(3);
    assert_eq!(outcome(&world), (json!({"kind": "timeout", "bound": "round"}), "round-limit".to_owned()));
}

#[test]
fn a_child_that_holds_the_agents_output_does_not_hold_up_the_end_of_its_turn() {
    let world = World::new();
    let held = world.fifo("held");
    world.script("agent.sh", "cat > /dev/null; (exec 3> held; exec sleep 1000) & cat held_is_open; echo last words");
    let opened = world.fifo("held_is_open");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    let held = open(&held);
    std::fs::write(&opened, "").expect("written");
    gone(held);
    world.goal(&["wait"]).exits(3);
    assert_eq!(outcome(&world), (json!({"kind": "completed"}), "round-limit".to_owned()));
    assert!(world.goal(&["output"]).exits(0).contains("last words"));
}

#[test]
fn agents_that_exit_at_once_have_had_their_turn_or_are_tried_again() {
    for (exit, attempts, reason) in
        [("exit 0", 3, "round-limit"), ("exit 9", 5, "attempt-limit"), ("kill -9 $$", 5, "attempt-limit")]
    {
        let world = World::new();
        world.script("agent.sh", exit);
        world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "3", "x"]).exits(3);
        assert_eq!((world.logged("attempt/ended").len(), outcome(&world).1.as_str()), (attempts, reason), "{exit}");
    }
}

#[test]
fn a_program_that_cannot_be_started_blocks_with_its_name() {
    for (spoil, word) in [
        ("rm agent.sh", "agent.sh"),
        ("chmod 644 agent.sh", "agent.sh"),
        ("rm agent.sh; mkdir agent.sh", "agent.sh"),
        ("rm agent.sh; ln -s nowhere agent.sh", "agent.sh"),
        ("rm agent.sh; printf '#!/nonexistent/interpreter\\n' > agent.sh; chmod 755 agent.sh", "agent.sh"),
    ] {
        let world = World::new();
        world.script("agent.sh", &format!("cat > /dev/null; {spoil}"));
        world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "3", "x"]).exits(3);
        let reason = world.status()["goal"]["blockedReason"].clone();
        assert_eq!(reason["code"], "queue-failed", "{spoil}: {reason}");
        assert!(reason["message"].as_str().expect("words").contains(word), "{spoil}: {reason}");
    }
}

/// A world whose agent is outside its workspace, which it may spoil.
fn outside(script: &str) -> (World, String) {
    let world = World::new();
    let agent = world.script("agent.sh", script);
    let outside = world.home().join("agent.sh");
    std::fs::rename(agent, &outside).expect("moved");
    (world, outside.to_str().expect("UTF-8").to_owned())
}

/// Why the only goal is blocked, asked from outside its workspace.
fn reason_from_outside(world: &World) -> Value {
    let list = finished(world.command(&["list", "--json"]).current_dir("/").output().expect("started")).json(0);
    list[0]["goal"]["blockedReason"].clone()
}

#[test]
fn a_workspace_that_vanishes_or_becomes_something_else_blocks_workspace_missing() {
    for spoil in
        ["cd /; rm -r \"$W\"", "cd /; rm -r \"$W\"; touch \"$W\"", "cd /; rm -r \"$W\"; ln -s /nonexistent \"$W\""]
    {
        let (world, agent) = outside(&format!("cat > /dev/null; W=$PWD; {spoil}"));
        let mut run = world.command(&["run", "--agent", &agent, "x"]);
        finished(run.output().expect("started")).exits(3);
        assert_eq!(reason_from_outside(&world)["code"], "workspace-missing", "{spoil}");
        std::fs::remove_file(world.work()).ok();
        std::fs::create_dir(world.work()).expect("made");
    }
}

#[test]
fn a_workspace_that_vanishes_during_a_round_lets_the_round_end_and_blocks_the_next() {
    let (world, agent) = outside("cat > /dev/null; echo up > \"$UP\"; cat \"$GO\" > /dev/null; echo still here");
    let [up, go] = ["up", "go"].map(|name| {
        let path = world.home().join(name);
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("made");
        path
    });
    let mut create = world.command(&["create", "--agent", &agent, "--check", "test -e proof", "x"]);
    finished(create.env("UP", &up).env("GO", &go).output().expect("started")).exits(0);
    read_fifo(&up);
    std::fs::remove_dir_all(world.work()).expect("removed");
    std::fs::write(&go, "go").expect("written");
    // Nobody can be in the folder any more, so it is named.
    let place = world.work();
    let named = |args: &[&str]| {
        let mut command = world.command(args);
        command.args(["-C", place.to_str().expect("UTF-8")]).current_dir("/");
        finished(command.output().expect("started"))
    };
    named(&["wait"]).exits(3);
    let status = named(&["status", "--json"]).json(0);
    assert_eq!(status["goal"]["blockedReason"]["code"], "verifier-failed", "{status}");
    assert!(named(&["output"]).exits(0).contains("still here"));
    // It stays within reach: it can be looked at, tried again, and cleared.
    named(&["resume"]).exits(0);
    named(&["wait"]).exits(3);
    named(&["clear"]).exits(0);
    let nowhere = named(&["status", "--json", "-s", "other"]).json(2);
    assert_eq!(nowhere["error"]["code"], "workspace-missing");
    std::fs::create_dir(world.work()).expect("made");
}

#[test]
fn a_workspace_that_is_a_link_is_the_folder_it_leads_to() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; pwd -P > where.txt; \"$GOALD_BIN\" agent complete --summary ok");
    let link = world.home().join("link");
    std::os::unix::fs::symlink(world.work(), &link).expect("linked");
    let by_link = |args: &[&str]| {
        let mut command = world.command(args);
        finished(command.current_dir(&link).env("PWD", &link).output().expect("started"))
    };
    by_link(&["run", "--agent", "./agent.sh", "x"]).exits(0);
    assert_eq!(world.read("where.txt").trim(), world.work().canonicalize().expect("there").to_str().expect("UTF-8"));
    // One session, whichever way it is reached: two of them would be two workers in one folder.
    let list = world.goal(&["list", "--json"]).json(0);
    assert_eq!(list.as_array().expect("a list").len(), 1);
    assert_eq!(by_link(&["status", "--json"]).json(0)["session"], world.status()["session"]);
    let named = world.goal(&["status", "--json", "-C", link.to_str().expect("UTF-8")]).json(0);
    assert_eq!(named["session"], world.status()["session"]);
}

#[test]
fn a_workspace_that_may_not_be_entered_blocks_workspace_missing() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    if !nix::unistd::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "this needs root");
        crate::harness::skipped("a workspace that may not be entered", "run the tests as root");
        return;
    }
    let (world, agent) = outside("cat > /dev/null; chmod 0 .");
    let root = world.work().parent().expect("a parent").to_owned();
    let binary = root.join("goal");
    crate::harness::executable(&binary, &std::fs::read(env!("CARGO_BIN_EXE_goal")).expect("read"));
    std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o755)).expect("set");
    for path in [world.home(), world.home().join("config.toml"), agent.clone().into(), world.work()] {
        chown(path, Some(65_534), Some(65_534)).expect("given away");
    }
    let place = world.work();
    let as_other = |args: &[&str]| {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&binary).args(args);
        command.args(["-C", place.to_str().expect("UTF-8")]).env("GOALD_HOME", world.home()).current_dir("/");
        finished(command.output().expect("started"))
    };
    as_other(&["run", "--agent", &agent, "x"]).exits(3);
    let reason = as_other(&["list", "--json"]).json(0)[0]["goal"]["blockedReason"].clone();
    assert_eq!(reason["code"], "workspace-missing", "{reason}");
    assert!(reason["message"].as_str().expect("words").contains(place.to_str().expect("UTF-8")), "{reason}");
    as_other(&["daemon", "stop"]).exits(0);
}
