//! Limits on rounds: reached exactly, raised, and never in the way of a goal that is met.

use crate::harness::World;

fn blocked_at(cap: &str) -> (String, u64) {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; echo . >> rounds.txt");
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", cap, "write five lines"]).exits(3);
    let status = world.status();
    assert_eq!(world.read("rounds.txt").lines().count().to_string(), cap, "the agent ran exactly to its cap");
    (
        status["goal"]["blockedReason"]["code"].as_str().unwrap().to_owned(),
        status["goal"]["roundsStarted"].as_u64().unwrap(),
    )
}

#[test]
fn an_agent_that_never_reports_runs_exactly_to_its_cap() {
    assert_eq!(blocked_at("4"), ("round-limit".to_owned(), 4));
}

#[test]
fn the_same_goal_with_a_cap_of_five_completes_in_round_three_and_with_a_cap_of_one_is_blocked_in_round_one() {
    for (cap, code, phase, rounds) in [("5", 0, "complete", 3), ("1", 3, "blocked", 1)] {
        let world = World::new();
        world.script("agent.sh", "cat > /dev/null; echo . >> lines.txt");
        let check = "[ $(cat lines.txt | wc -l) -ge 3 ]";
        world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", cap, "--check", check, "three lines"]).exits(code);
        let status = world.status();
        assert_eq!(
            (status["goal"]["phase"].as_str(), status["goal"]["roundsStarted"].as_u64()),
            (Some(phase), Some(rounds))
        );
    }
}

#[test]
fn a_goal_that_is_met_in_its_last_round_is_complete_not_limited() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; echo . >> lines.txt");
    world
        .goal(&[
            "run",
            "--agent",
            "./agent.sh",
            "--max-rounds",
            "2",
            "--check",
            "[ $(cat lines.txt | wc -l) -ge 2 ]",
            "x",
        ])
        .exits(0);
    let status = world.status();
    assert_eq!(
        (status["goal"]["phase"].as_str(), status["goal"]["roundsStarted"].as_u64()),
        (Some("complete"), Some(2))
    );
}

#[test]
fn a_spent_limit_is_raised_and_the_same_goal_resumed_with_its_rounds_kept() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; echo . >> lines.txt");
    world
        .goal(&[
            "run",
            "--agent",
            "./agent.sh",
            "--max-rounds",
            "2",
            "--check",
            "[ $(cat lines.txt | wc -l) -ge 3 ]",
            "x",
        ])
        .exits(3);
    let id = world.status()["goal"]["id"].clone();
    let refused = world.goal(&["resume", "--json"]).json(5);
    assert_eq!(refused["error"]["code"], "limit-spent");
    assert!(refused["error"]["hint"].as_str().unwrap().contains("goal edit --max-rounds 3"), "{refused}");
    world.goal(&["edit", "--max-rounds", "3"]).exits(0);
    world.goal(&["resume"]).exits(0);
    world.goal(&["wait"]).exits(0);
    let status = world.status();
    assert_eq!((&status["goal"]["id"], status["goal"]["roundsStarted"].as_u64()), (&id, Some(3)));
    let admitted: Vec<u64> =
        world.logged("round/admitted").iter().map(|event| event["data"]["round"].as_u64().unwrap()).collect();
    assert_eq!(admitted, [1, 2, 3]);
}

#[test]
fn reactivating_after_a_failed_check_keeps_the_round_count() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; \"$GOALD_BIN\" agent complete --summary done > /dev/null");
    world.goal(&["run", "--agent", "./agent.sh", "--max-rounds", "3", "--check", "false", "x"]).exits(3);
    for _ in 0..3 {
        world.goal(&["resume"]).exits(5);
    }
    assert_eq!(world.logged("round/admitted").len(), 3, "the cap is reached whatever is reactivated");
}

#[test]
fn only_the_missing_rounds_stand_between_an_agent_and_blocked() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; \"$GOALD_BIN\" agent blocked --reason 'no key' >> said.txt 2>&1; echo \"exit $?\" >> said.txt");
    world.goal(&["run", "--agent", "./agent.sh", "x"]).exits(3);
    let status = world.status();
    assert_eq!(status["goal"]["blockedReason"]["code"], "model-reported");
    assert_eq!(status["goal"]["blockedReason"]["message"], "no key");
    assert_eq!(status["goal"]["roundsStarted"], 3);
    let missing: Vec<u64> = world
        .logged("claim/refused")
        .iter()
        .map(|event| event["data"]["why"]["missingRounds"].as_u64().unwrap())
        .collect();
    assert_eq!(missing, [2, 1]);
    assert_eq!(world.read("said.txt").matches("exit 5").count(), 2);
}
