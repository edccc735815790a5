//! What an agent gets, what it may print, how it is tried again.

use crate::harness::World;

#[test]
fn an_agent_gets_the_prompt_on_standard_input_and_the_callers_environment() {
    let world = World::new();
    world.script("agent.sh", r#"cat > prompt.txt; printf '%s' "$MY_KEY" > key.txt; echo "working"; "$GOALD_BIN" agent complete --summary "all done""#);
    let mut command = world.command(&["run", "--agent", "./agent.sh", "make it so"]);
    let ran = crate::harness::finished(command.env("MY_KEY", "secret-value").output().unwrap());
    ran.exits(0);
    let prompt = world.read("prompt.txt");
    assert!(prompt.starts_with("Round 1 of at most 256 of your goal."), "{prompt}");
    assert!(prompt.contains("\"make it so\""), "{prompt}");
    assert_eq!(world.read("key.txt"), "secret-value");
    assert!(world.goal(&["output"]).exits(0).contains("working"));
    // In memory only: no file of the state folder has the value.
    for entry in std::fs::read_dir(world.home()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(12).any(|window| window == b"secret-value"), "{}", path.display());
        }
    }
}

#[test]
fn a_goal_without_checks_completes_on_the_agents_word_and_says_unverified_everywhere() {
    let world = World::new();
    world.script("agent.sh", r#""$GOALD_BIN" agent complete --summary "trust me""#);
    let text = world.goal(&["run", "--agent", "./agent.sh", "be trusted"]).exits(0);
    assert!(text.contains("complete (unverified"), "{text}");
    let status = world.status();
    assert_eq!(
        (status["goal"]["completed"].as_str(), status["verification"].as_str()),
        (Some("unverified"), Some("none"))
    );
    assert!(world.goal(&["status"]).exits(0).contains("unverified"));
    assert!(world.goal(&["list"]).exits(0).contains("unverified"));
    let change = world.logged("goal/change").pop().unwrap();
    assert_eq!(
        (change["data"]["operation"].as_str(), change["actor"]["kind"].as_str()),
        (Some("complete"), Some("verifier"))
    );
}

#[test]
fn an_agent_that_prints_complete_has_printed_a_word() {
    let world = World::new();
    world.script("agent.sh", r#"cat; echo '{"type":"end","result":"completed"}'; echo 'GOAL COMPLETE <complete/>'"#);
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "1", "not by words"]).exits(3);
    assert_eq!(world.status()["goal"]["blockedReason"]["code"], "round-limit");
}

#[test]
fn a_check_decides_and_its_output_goes_into_the_next_prompt() {
    let world = World::new();
    world.script("agent.sh", r#"cat > "prompt$GOALD_ROUND.txt"; "$GOALD_BIN" agent complete --summary "done" > /dev/null; [ "$GOALD_ROUND" -lt 2 ] || touch ready"#);
    world
        .goal(&[
            "run",
            "--agent",
            "./agent.sh",
            "--check",
            "test -e ready || { echo nothing is ready; exit 3; }",
            "be ready",
        ])
        .exits(0);
    let prompt = world.read("prompt2.txt");
    assert!(prompt.contains("nothing is ready") && prompt.contains("exit code 3"), "{prompt}");
    let status = world.status();
    assert_eq!(
        (status["goal"]["completed"].as_str(), status["goal"]["roundsStarted"].as_u64()),
        (Some("verified"), Some(2))
    );
    assert_eq!(status["goal"]["criteria"][0]["last"]["met"], true);
    assert_eq!(status["goal"]["criteria"][0]["kind"], "command");
}

#[test]
fn an_agent_that_crashes_is_tried_again_in_the_same_round_and_then_blocked() {
    let world = World::new();
    world.script("agent.sh", "echo tried >> tries.txt; echo the disk is on fire >&2; exit 7");
    world.goal(&["run", "--agent", "./agent.sh", "never mind"]).exits(3);
    let status = world.status();
    let reason = &status["goal"]["blockedReason"];
    assert_eq!(reason["code"], "attempt-limit");
    assert!(reason["message"].as_str().unwrap().contains("the disk is on fire"), "{reason}");
    assert_eq!(world.read("tries.txt").lines().count(), 5);
    assert_eq!(status["goal"]["roundsStarted"], 1, "one round, five attempts");
    // A human's resume resets the count, never the rounds.
    world.script("agent.sh", r#""$GOALD_BIN" agent complete --summary ok"#);
    world.goal(&["resume"]).exits(0);
    world.goal(&["wait"]).exits(0);
    assert_eq!(world.status()["goal"]["roundsStarted"], 1);
}

#[test]
fn json_lines_tell_session_usage_and_failures_of_every_kind() {
    for (kind, code) in [
        ("configuration", "agent-failed"),
        ("auth-required", "auth-required"),
        ("usage-limit", "usage-limit"),
        ("prompt-rejected", "prompt-rejected"),
    ] {
        let world = World::new();
        world.script("agent.sh", &format!(
            r#"echo '{{"type":"session","id":"s-1"}}'; echo '{{"type":"usage","scope":"run","inputTokens":7,"outputTokens":2,"costMicroUsd":1500}}'; echo '{{"type":"end","result":"failed","kind":"{kind}","message":"own words"}}'"#
        ));
        let agent = world.work().join("agent.sh");
        world.config(&format!(
            "retryBase = '10ms'\n[agents.j]\nkind = 'command'\ncommand = ['{}']\noutput = 'json-lines'\n",
            agent.display()
        ));
        world.goal(&["run", "x"]).exits(3);
        let status = world.status();
        assert_eq!(status["goal"]["blockedReason"]["code"], code);
        assert_eq!(status["goal"]["blockedReason"]["message"], "own words");
        assert_eq!(status["goal"]["usage"]["inputTokens"], 7);
        assert_eq!(status["goal"]["usage"]["costMicroUsd"], 1500);
        assert_eq!(world.logged("attempt/ended")[0]["data"]["agentSession"], "s-1");
    }
}

#[test]
fn an_agents_own_session_is_continued_and_told_how_goals_work_only_once() {
    let world = World::new();
    world.script("agent.sh", r#"cat > "prompt$GOALD_ROUND.txt"; printf '%s' "$GOALD_AGENT_SESSION" > "session$GOALD_ROUND.txt"; echo '{"type":"session","id":"s-9"}'; echo '{"type":"end","result":"completed"}'"#);
    let agent = world.work().join("agent.sh");
    world.config(&format!("[agents.j]\nkind = 'command'\ncommand = ['{}']\noutput = 'json-lines'\n", agent.display()));
    world.goal(&["run", "--max-rounds", "2", "x"]).exits(3);
    assert_eq!((world.read("session1.txt").as_str(), world.read("session2.txt").as_str()), ("", "s-9"));
    assert!(world.read("prompt1.txt").contains("How this works."));
    assert!(!world.read("prompt2.txt").contains("How this works."));
    assert_eq!(world.logged("attempt/started")[1]["data"]["resumes"], "s-9");
}

#[test]
fn a_program_that_is_gone_by_the_next_round_blocks_queue_failed() {
    let world = World::new();
    world.script("agent.sh", "rm agent.sh");
    world.goal(&["run", "--agent", "./agent.sh", "x"]).exits(3);
    assert_eq!(world.status()["goal"]["blockedReason"]["code"], "queue-failed");
}

#[test]
fn a_workspace_that_is_gone_blocks_workspace_missing_and_nothing_is_shown_as_running() {
    let world = World::new();
    let agent = world.script("agent.sh", "cd /; rm -r \"$OLDPWD\"");
    let outside = world.home().join("agent.sh");
    std::fs::rename(agent, &outside).unwrap();
    let mut run =
        world.command(&["run", "--agent", outside.to_str().unwrap(), "-C", world.work().to_str().unwrap(), "x"]);
    crate::harness::finished(run.output().unwrap()).exits(3);
    let list = crate::harness::finished(world.command(&["list", "--json"]).current_dir("/").output().unwrap()).json(0);
    assert_eq!(list[0]["goal"]["blockedReason"]["code"], "workspace-missing");
    assert_eq!(list[0]["session"]["state"], "stopped");
    std::fs::create_dir(world.work()).unwrap();
}

#[test]
fn what_an_agent_leaves_running_ends_with_its_turn() {
    let world = World::new();
    let (held, _) = (world.fifo("held"), world.fifo("go"));
    world
        .script("agent.sh", "cat > /dev/null; (setsid sh -c 'exec 3> held; echo up > go; exec sleep 1000' &) ; cat go");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "1", "x"]).exits(0);
    crate::harness::gone(crate::harness::open(&held));
    world.goal(&["wait"]).exits(3);
    assert_eq!(crate::harness::agents_of(&world), [0_u32; 0]);
}

#[test]
fn a_check_that_cannot_be_started_blocks_verifier_failed_and_never_completes() {
    let world = World::new();
    world.script("agent.sh", "cd /; rm -r \"$OLDPWD\"; mkdir \"$OLDPWD\"; chmod 0 \"$OLDPWD\"; rmdir \"$OLDPWD\"");
    let outside = world.home().join("agent.sh");
    std::fs::rename(world.work().join("agent.sh"), &outside).unwrap();
    let mut run = world.command(&["run", "--agent", outside.to_str().unwrap(), "--check", "true", "x"]);
    crate::harness::finished(run.output().unwrap()).exits(3);
    let list = crate::harness::finished(world.command(&["list", "--json"]).current_dir("/").output().unwrap()).json(0);
    assert_eq!(list[0]["goal"]["blockedReason"]["code"], "verifier-failed");
    std::fs::create_dir(world.work()).unwrap();
}

#[test]
fn of_a_session_total_each_attempt_counts_what_is_new_also_after_a_restart_and_never_less_than_nothing() {
    let world = World::new();
    let usage = r#"{"type":"usage","scope":"session","inputTokens":'$1',"costMicroUsd":'$2'}"#;
    let body = format!(
        r#"cat > /dev/null; echo . >> attempts; case $(wc -l < attempts) in
1) set -- 100 10 s1;; 2) set -- 250 25 s1;; 3) set -- 300 30 s1;; 4) set -- 40 4 s2;; 5) set -- 30 3 s2;; esac
echo '{{"type":"session","id":"'$3'"}}'; echo '{usage}'; echo '{{"type":"end","result":"completed"}}'"#
    );
    let agent = world.script("agent.sh", &body);
    world.config(&format!("[agents.j]\nkind = 'command'\ncommand = ['{}']\noutput = 'json-lines'\n", agent.display()));
    world.goal(&["run", "--max-rounds", "2", "x"]).exits(3);
    world.kill_daemon();
    world.goal(&["edit", "--max-rounds", "5"]).exits(0);
    world.goal(&["resume"]).exits(0);
    world.goal(&["wait"]).exits(3);
    let rounds = world.goal(&["rounds", "--json"]).json(0);
    let used = |round: &serde_json::Value| {
        let usage = &round["attempts"][0]["usage"];
        (usage["inputTokens"].as_u64().unwrap(), usage["costMicroUsd"].as_u64().unwrap())
    };
    let used: Vec<_> = rounds.as_array().unwrap().iter().map(used).collect();
    assert_eq!(used, [(100, 10), (150, 15), (50, 5), (40, 4), (0, 0)]);
    let goal = &world.status()["goal"]["usage"];
    assert_eq!((&goal["inputTokens"], &goal["costMicroUsd"]), (&340.into(), &34.into()));
}
