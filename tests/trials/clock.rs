//! A wall clock that jumps by a day, forward and back, and a machine that slept: no timer comes early, none twice, and
//! durations stay sane.
//!
//! The daemon's wall clock is moved by a file, as far as its tests' build lets it; the monotonic clock stands still in a
//! machine that sleeps, so a sleep is a wall clock that jumps forward alone.

use super::{Counts, Trial};
use crate::harness::{World, finished, read_fifo};
use serde_json::Value;

const DAY: i64 = 86_400;

/// A world whose daemon has a clock that can be moved.
struct Moved {
    world: World,
}

impl Moved {
    fn new(config: &str) -> Self {
        let moved = Self { world: World::new() };
        moved.world.config(config);
        moved.clock(0);
        moved.start();
        moved
    }

    /// Moves the wall clock to this many seconds from the true one.
    fn clock(&self, seconds: i64) {
        let (new, path) = (self.world.home().join("clock.new"), self.world.home().join("clock"));
        std::fs::write(&new, seconds.to_string()).expect("written");
        std::fs::rename(new, path).expect("in one step");
    }

    fn start(&self) {
        let mut start = self.world.command(&["daemon", "start"]);
        start.env("GOALD_TEST_CLOCK", self.world.home().join("clock"));
        finished(start.output().expect("started")).exits(0);
    }

    fn restart(&self) {
        self.world.goal(&["daemon", "stop"]).exits(0);
        self.start();
    }

    /// How many seconds the last event's time is from the true one.
    fn recorded(&self) -> i64 {
        let last = self.world.log().pop().expect("an event");
        let at: goald_schema::Timestamp = last["at"].as_str().expect("a time").parse().expect("a time");
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        (at.millis() - i64::try_from(now.as_millis()).expect("fits")) / 1_000
    }

    /// Makes the driver think again.
    fn nudge(&self, max_rounds: u32) {
        self.world.goal(&["edit", "--max-rounds", &max_rounds.to_string()]).exits(0);
    }

    fn is_shown(&self) {
        for args in [&["status"][..], &["rounds"], &["log"]] {
            let text = self.world.goal(args).exits(0);
            // A duration of hours or days would be one that a jump has made.
            let sane = !text.split_whitespace().zip(text.split_whitespace().skip(1)).any(|(number, unit)| {
                let unit = unit.trim_matches(|c: char| !c.is_alphabetic());
                number.trim_start_matches('(').parse::<u64>().is_ok_and(|number| number > 0)
                    && ["h", "d"].contains(&unit)
            });
            assert!(sane, "{args:?}: {text}");
        }
    }
}

fn is_short(millis: &Value) {
    assert!(millis.as_u64().expect("a duration") < 60_000, "{millis} ms");
}

#[test]
fn a_jump_or_a_sleep_during_a_turn_and_its_check_times_nothing_out() {
    for jump in [DAY, -DAY, 8 * 3_600] {
        let moved = Moved::new("roundTimeout = '2m'\nidleTimeout = '2m'\ncheckTimeout = '2m'\n");
        let world = &moved.world;
        let [up, go, checks, checked] = ["up", "go", "checks", "checked"].map(|name| world.fifo(name));
        world.script(
            "agent.sh",
            "cat > /dev/null; echo up > up; cat go > /dev/null; echo on; echo up > up; cat go > /dev/null",
        );
        let check = "echo up > checks; cat checked > /dev/null";
        world.goal(&["create", "--agent", "./agent.sh", "--check", check, "x"]).exits(0);
        read_fifo(&up);
        moved.clock(jump);
        assert_eq!(world.status()["session"]["state"], "running");
        // Once more after something was printed: the time without output begins anew.
        std::fs::write(&go, "go").expect("written");
        read_fifo(&up);
        moved.clock(-jump);
        std::fs::write(&go, "go").expect("written");
        read_fifo(&checks);
        moved.clock(jump);
        assert_eq!(world.status()["session"]["state"], "verifying");
        std::fs::write(&checked, "go").expect("written");
        world.goal(&["wait"]).exits(0);
        let ended = &world.logged("attempt/ended")[0]["data"];
        assert_eq!(ended["outcome"]["kind"], "completed", "{ended}");
        is_short(&ended["workedMs"]);
        let verdict = &world.logged("verdict/recorded")[0]["data"];
        is_short(&verdict["workedMs"]);
        is_short(&verdict["results"][0]["durationMs"]);
        let off = moved.recorded() - jump;
        assert!(off.abs() < 60, "the time as it was is recorded: {off} s off");
        moved.clock(0);
        moved.is_shown();
    }
}

#[test]
fn a_back_off_is_not_ended_by_a_jump_and_a_restart_starts_nothing() {
    for jump in [DAY, -DAY] {
        let moved = Moved::new("retryBase = '4m'\n");
        let world = &moved.world;
        world.script(
            "agent.sh",
            "cat > /dev/null; [ -e mended ] && exec \"$GOALD_BIN\" agent complete --summary ok; exit 1",
        );
        let events = world.events();
        world.goal(&["create", "--agent", "./agent.sh", "x"]).exits(0);
        let ended = events.next("attempt/ended");
        assert!(ended["data"]["next"]["afterMs"].as_u64().expect("a delay") >= 180_000);
        for (n, to) in [jump, -jump, 0, jump].into_iter().enumerate() {
            moved.clock(to);
            moved.nudge(100 + u32::try_from(n).expect("few"));
            assert_eq!(world.status()["session"]["state"], "backing-off", "moved to {to} s");
        }
        moved.is_shown();
        drop(events);
        for to in [jump, -jump] {
            moved.clock(to);
            moved.restart();
            let status = world.status();
            assert_eq!((&status["activation"], &status["session"]["state"]), (&"disarmed".into(), &"stopped".into()));
        }
        assert_eq!(world.logged("attempt/started").len(), 1);
        // A person's resume ends the back-off, whatever the clock says; the round and its attempts are counted on.
        std::fs::write(world.work().join("mended"), "").expect("written");
        world.goal(&["resume"]).exits(0);
        world.goal(&["wait"]).exits(0);
        let started = world.logged("attempt/started");
        let (turn, number) = (&started[1]["data"]["turn"]["round"], &started[1]["data"]["number"]);
        assert_eq!((started.len(), turn, number), (2, &1.into(), &2.into()));
        moved.clock(0);
        moved.is_shown();
    }
}

#[test]
fn a_retry_comes_once_and_not_early_however_the_clock_jumps_meanwhile() {
    let mut trial = Trial::new("clock: jumps during a back-off", Counts { few: 3, short: 20, full: 200 });
    let mut late = Vec::new();
    let moved = Moved::new("retryBase = '100ms'\nmaxAttempts = 3\n");
    let world = &moved.world;
    // The uptime stands still for nobody: it is what the agent tells its own times by.
    world.script(
        "agent.sh",
        "cut -d' ' -f1 /proc/uptime >> times; cat > /dev/null; [ -e mended ] && exec \"$GOALD_BIN\" agent complete --summary ok
touch mended; cut -d' ' -f1 /proc/uptime >> times; exit 1",
    );
    let mut before = 0;
    for round in 0..trial.count() {
        std::fs::remove_file(world.work().join("mended")).ok();
        std::fs::remove_file(world.work().join("times")).ok();
        world.goal(&["create", "--agent", "./agent.sh", &format!("goal {round}")]).exits(0);
        for _ in 0..3 {
            moved.clock(trial.dice.i64(-DAY..=DAY));
        }
        world.goal(&["wait"]).exits(0);
        let events = world.log().split_off(before);
        before += events.len();
        let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).cloned().collect::<Vec<_>>();
        assert_eq!((of("attempt/started").len(), of("round/admitted").len()), (2, 1), "{events:#?}");
        let after = of("attempt/ended")[0]["data"]["next"]["afterMs"].as_u64().expect("a delay");
        let text = world.read("times");
        let times: Vec<u64> = text
            .lines()
            .map(|line| line.replace('.', "").parse::<u64>().expect("hundredths of a second") * 10)
            .collect();
        let waited = times[2] - times[1];
        assert!(waited + 10 >= after, "it came after {waited} ms instead of {after} ms");
        late.push(std::time::Duration::from_millis(waited.saturating_sub(after)));
    }
    trial.times("late by (in steps of 10 ms)", &mut late);
}

#[test]
fn a_daemon_that_finds_itself_a_day_ahead_or_back_goes_on_with_the_same_log() {
    let moved = Moved::new("");
    let world = &moved.world;
    world.script("agent.sh", "cat > /dev/null; \"$GOALD_BIN\" agent complete --summary ok");
    let mut before = Vec::new();
    for to in [0, DAY, -DAY, 365 * DAY, -20_000 * DAY, 0] {
        moved.clock(to);
        moved.restart();
        assert!(before.is_empty() || world.log() == before, "replayed as it was");
        world.goal(&["run", "--agent", "./agent.sh", &format!("at {to}")]).exits(0);
        before = world.log();
        let positions: Vec<u64> = before.iter().map(|event| event["position"].as_u64().expect("one")).collect();
        assert!(positions.is_sorted(), "the order is the log's, not the clock's");
        is_short(&world.logged("attempt/ended").pop().expect("ended")["data"]["workedMs"]);
        moved.is_shown();
    }
}
