//! Human messages: a turn of their own, in order, and only when permitted.

use crate::harness::{World, gone, open, read_fifo};
use std::io::Write;

#[test]
fn a_message_to_a_session_without_a_goal_gets_one_turn_and_arms_nothing() {
    let world = World::new();
    world.script("agent.sh", "cat > prompt.txt");
    let events_before = world.goal(&["say", "--agent", "./agent.sh", "hello there"]);
    events_before.exits(0);
    let events = world.events();
    events.next("message/delivered");
    let prompt = world.read("prompt.txt");
    assert!(prompt.starts_with("A person has a message for you.") && prompt.contains("\"hello there\""), "{prompt}");
    let status = world.status();
    assert_eq!(
        (status["activation"].as_str(), &status["goal"], status["queued"].as_array().unwrap().len()),
        (Some("disarmed"), &serde_json::Value::Null, 0)
    );
}

#[test]
fn a_message_during_a_round_is_delivered_after_it_and_before_the_next() {
    let world = World::new();
    let (up, go) = (world.fifo("up"), world.fifo("go"));
    world.script("agent.sh", "cat > \"prompt.$$\"; echo \"${GOALD_ROUND:-message}\" >> turns.txt; [ -e second ] && exit; touch second; echo up > up; cat go");
    world.goal(&["create", "--agent", "./agent.sh", "--max-rounds", "2", "x"]).exits(0);
    read_fifo(&up);
    world.goal(&["say", "one"]).exits(0);
    world.goal(&["say", "two"]).exits(0);
    std::fs::File::create(&go).unwrap().write_all(b"go").unwrap();
    world.goal(&["wait"]).exits(3);
    assert_eq!(world.read("turns.txt"), "1\nmessage\n2\n", "both messages in one turn, between the rounds");
    let delivered = world.logged("message/delivered");
    assert_eq!((delivered.len(), delivered[0]["data"]["messages"].as_array().unwrap().len()), (1, 2));
}

#[test]
fn say_to_a_paused_goal_delivers_everything_queued_in_one_turn_and_leaves_it_paused() {
    let world = World::new();
    let up = world.fifo("up");
    world.script("agent.sh", "cat > /dev/null; echo up > up; exec sleep 1000");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    read_fifo(&up);
    world.goal(&["say", "first"]).exits(0);
    let events = world.events();
    world.goal(&["pause"]).exits(0);
    events.next("attempt/ended");
    world.script("agent.sh", "cat > prompt.txt; echo up > up");
    world.goal(&["say", "second"]).exits(0);
    read_fifo(&up);
    events.next("message/delivered");
    let prompt = world.read("prompt.txt");
    assert!(prompt.find("\"first\"").unwrap() < prompt.find("\"second\"").unwrap(), "{prompt}");
    let status = world.status();
    assert_eq!((status["goal"]["phase"].as_str(), status["activation"].as_str()), (Some("paused"), Some("disarmed")));
    assert_eq!(world.logged("round/admitted").len(), 1);
}

#[test]
fn an_agent_completes_a_paused_goal_in_the_turn_that_answers_a_person() {
    let world = World::new();
    world.script("agent.sh", "cat > /dev/null; if [ -n \"$GOALD_ROUND\" ]; then exec sleep 1000; else \"$GOALD_BIN\" agent complete --summary 'was done already'; fi");
    world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
    let events = world.events();
    events.next("attempt/started");
    world.goal(&["pause"]).exits(0);
    world.goal(&["say", "is it not done already?"]).exits(0);
    let change = events.change("complete");
    assert_eq!(change["data"]["goal"]["completed"], "unverified");
}

#[test]
fn pause_and_clear_stop_a_message_turn_where_no_goal_is_and_then_have_nothing_to_stop() {
    for verb in ["pause", "clear"] {
        let world = World::new();
        let (up, held) = (world.fifo("up"), world.fifo("held"));
        world.script("agent.sh", "cat > /dev/null; exec 3> held; echo up > up; exec sleep 1000");
        world.goal(&["say", "--agent", "./agent.sh", "hello"]).exits(0);
        let reader = open(&held);
        read_fifo(&up);
        let events = world.events();
        world.goal(&[verb]).exits(0);
        gone(reader);
        events.next("turn/stopped");
        events.next("message/delivered");
        let again = world.goal(&[verb, "--json"]);
        if verb == "pause" {
            assert_eq!(again.json(5)["error"]["code"], "nothing-to-stop");
        } else {
            assert_eq!(again.json(0)["changed"], false);
        }
    }
}

#[test]
fn a_message_whose_turn_fails_for_good_is_closed_as_failed_and_shown() {
    let world = World::new();
    world.script("agent.sh", "echo tried >> tries.txt; exit 9");
    world.goal(&["say", "--agent", "./agent.sh", "hello"]).exits(0);
    let events = world.events();
    let closed = events.next("message/delivered");
    assert!(closed["data"]["failed"]["message"].as_str().unwrap().contains("exit code 9"), "{closed}");
    assert_eq!(world.read("tries.txt").lines().count(), 5);
    assert!(world.goal(&["log"]).exits(0).contains("1 message(s) failed"));
}

#[test]
fn a_message_to_a_goal_that_waits_for_a_slot_takes_the_one_that_is_kept_for_messages() {
    let world = World::new();
    world.config("maxConcurrentAttempts = 1\n");
    let held = world.fifo("held");
    world.script("busy.sh", "cat > /dev/null; exec 3> held; exec sleep 1000");
    world.script("agent.sh", "cat > prompt.txt");
    world.goal(&["create", "-s", "busy", "--share-workspace", "--agent", "./busy.sh", "x"]).exits(0);
    let busy = open(&held);
    let waiting = ["create", "--json", "--share-workspace", "--agent", "./agent.sh", "--max-rounds", "1", "y"];
    assert_eq!(world.goal(&waiting).json(0)["status"]["session"]["state"], "waiting");
    world.goal(&["say", "hello"]).exits(0);
    world.events().next("message/delivered");
    assert!(world.read("prompt.txt").contains("\"hello\""));
    assert_eq!(world.logged("round/admitted").len(), 0, "the round still waits");
    world.goal(&["pause", "-s", "busy"]).exits(0);
    gone(busy);
    world.goal(&["wait"]).exits(3);
}

#[test]
fn messages_that_nobody_has_read_stay_queued_through_every_stop_are_shown_and_go_with_the_next_say() {
    for (verb, extra) in [("clear", vec![]), ("complete", vec![]), ("block", vec!["--reason", "no key"])] {
        let world = World::new();
        let held = world.fifo("held");
        world.script("agent.sh", "exec 3> held; exec sleep 1000");
        world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
        let round = open(&held);
        // The next one holds another pipe: were it quick, nobody would see that the first one had let go.
        let held = world.fifo("held-too");
        world.script("agent.sh", "exec 3> held-too; exec sleep 1000");
        world.goal(&["say", "--now", "first"]).exits(0);
        gone(round);
        let turn = open(&held);
        world.goal(&["say", "second"]).exits(0);
        world.goal(&[&[verb], &extra[..]].concat()).exits(0);
        gone(turn);
        let events = world.events();
        let ended = |event: &serde_json::Value| event["type"] == "attempt/ended";
        events.until("the round's", ended);
        assert_eq!(events.until("the message turn's", ended)["data"]["delivered"], "no");
        assert_eq!(world.status()["queued"].as_array().unwrap().len(), 2, "{verb}");
        let shown = world.goal(&["status"]).exits(0);
        assert!(shown.contains("2 message(s) wait for the agent: the next goal say delivers them too"), "{shown}");

        world.script("agent.sh", "cat > prompt.txt");
        world.goal(&["say", "third"]).exits(0);
        let delivered = events.next("message/delivered");
        assert_eq!(delivered["data"]["messages"].as_array().unwrap().len(), 3, "{verb}");
        let prompt = world.read("prompt.txt");
        let place = |text: &str| prompt.find(&format!("\"{text}\"")).unwrap_or_else(|| panic!("{text} in {prompt}"));
        assert!(place("first") < place("second") && place("second") < place("third"), "{prompt}");
        assert_eq!(world.status()["queued"], serde_json::json!([]));
    }
}
