//! Stop means stop: after the answer to a stop no byte of a prompt reaches the agent.
//!
//! The agent notes the time of every read of its standard input, the trial the time of the answer, both by the monotonic
//! clock: these are compared, and no event is believed.

use super::reader::{self, Manner, Noted, monotonic};
use super::{Counts, Trial};
use crate::harness::{Raw, World, code};
use serde_json::{Value, json};
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// How a goal, or everything, is stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Pause,
    Clear,
    Complete,
    Block,
    Daemon,
}

/// What the stop finds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scene {
    /// Rounds that follow one upon the other.
    Rounds,
    /// A message that was just queued.
    Message,
    /// A prompt longer than a pipe, on its way to an agent that reads slowly.
    LongPrompt,
    /// A retry that is due in the same millisecond.
    Retry,
}

/// A world with its connections.
struct Course {
    world: World,
    asking: Raw,
    log: Raw,
    scene: Scene,
    /// The current goal and its revision, as last told.
    goal: Value,
    /// The last position that was read in the log.
    position: u64,
}

/// From an answer to the next start: nothing may be read in between.
struct Silence {
    from: u64,
    to: u64,
}

impl Course {
    fn new(scene: Scene) -> Self {
        let world = World::new();
        world.config(&format!(
            "retryBase = '1ms'\nmaxAttempts = 1000000\ndefaultMaxGoalRounds = 1000000\n{}",
            reader::profile()
        ));
        world.goal(&["daemon", "start"]).exits(0);
        let (asking, log) = (Course::connect(&world), Course::connect(&world));
        let mut course = Self { world, asking, log, scene, goal: Value::Null, position: 0 };
        course.follow();
        course
    }

    fn connect(world: &World) -> Raw {
        Raw::greeted(&world.home().join("goald.sock"))
    }

    fn follow(&mut self) {
        let answer = self.log.call("log.subscribe", json!({"after": self.position}));
        assert!(answer["result"].is_object(), "{answer}");
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut params = params;
        if method != "daemon.stop" {
            params["target"] = json!({"by": "place", "workspace": self.world.work(), "name": "main"});
        }
        let answer = self.asking.call(method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn reference(&self) -> Value {
        json!({"id": self.goal["id"], "revision": self.goal["revision"]})
    }

    fn caller(&self) -> Value {
        let manner = match self.scene {
            Scene::Rounds | Scene::Message => Manner::AtOnce,
            Scene::LongPrompt => Manner::Slowly,
            Scene::Retry => Manner::Fails,
        };
        reader::caller(&self.world, manner)
    }

    /// Lets rounds start, by whatever the goal needs for that.
    fn start(&mut self) {
        let unfinished = self.goal["phase"].as_str().is_some_and(|phase| phase != "complete");
        let caller = self.caller();
        let answer = if unfinished {
            let reference = self.reference();
            self.ask("resume", json!({"ref": reference, "caller": caller}))
        } else {
            let objective = json!({"from": "inline", "text": "go on for ever"});
            self.ask("create", json!({"objective": objective, "agent": "reader", "caller": caller}))
        };
        self.goal = answer["status"]["goal"].clone();
    }

    fn say(&mut self, text: &str) {
        let caller = self.caller();
        self.ask("say", json!({"text": text, "caller": caller}));
    }

    /// Stops. Says when the answer was there.
    fn stop(&mut self, stop: Stop) -> u64 {
        let reference = self.reference();
        let answer = match stop {
            Stop::Pause => self.ask("pause", json!({"ref": reference})),
            Stop::Clear => self.ask("clear", json!({"ref": reference})),
            Stop::Complete => self.ask("complete", json!({"ref": reference})),
            Stop::Block => self.ask("block", json!({"ref": reference, "code": "human-reported", "message": "x"})),
            Stop::Daemon => self.ask("daemon.stop", json!({})),
        };
        let answered = monotonic();
        if stop != Stop::Daemon {
            self.goal = answer["status"]["goal"].clone();
        }
        answered
    }

    /// The next event of the log; none when the daemon has gone.
    fn event(&mut self) -> Option<Value> {
        loop {
            let line = self.log.line()?;
            if line["method"] == "log.event" {
                let event = line["params"].clone();
                self.position = event["position"].as_u64().expect("a position");
                return Some(event);
            }
        }
    }

    /// The next event of a type; the daemon is not to go before it.
    fn until(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.event().unwrap_or_else(|| panic!("the daemon goes before {what}"));
            if fits(&event) {
                return event;
            }
        }
    }

    /// Waits until nothing runs any more after a stop. Says how much of its prompt the last agent had got by then.
    fn settle(&mut self, stop: Stop, open: &mut Open) {
        if stop == Stop::Daemon {
            while let Some(event) = self.event() {
                open.note(&event);
            }
            // It may have been cut off before its last event came: it is in the log of the next daemon.
            self.world.goal(&["daemon", "start"]).exits(0);
            self.asking = Self::connect(&self.world);
            self.log = Self::connect(&self.world);
            self.follow();
            while open.attempt.is_some() {
                let event = self.until("the last end", |_| true);
                open.note(&event);
            }
            return;
        }
        let operation = match stop {
            Stop::Pause => "pause",
            Stop::Clear => "clear",
            Stop::Complete => "complete",
            Stop::Block | Stop::Daemon => "block",
        };
        let mut stopped = false;
        while !stopped || open.attempt.is_some() {
            let event = self.until("the stop and the end", |_| true);
            open.note(&event);
            stopped = stopped || event["type"] == "goal/change" && event["data"]["operation"] == operation;
        }
    }
}

/// Lets one turn come to its end. Says how long that takes here and now: stops are spread over it.
fn one_turn(course: &mut Course, open: &mut Open) -> Duration {
    course.start();
    let turn = if course.scene == Scene::LongPrompt {
        course.say(&long_text());
        "messages"
    } else {
        "round"
    };
    let started =
        course.until("a start", |event| event["type"] == "attempt/started" && event["data"]["turn"]["kind"] == turn);
    let began = Instant::now();
    let of = &started["data"]["attempt"];
    course.until("its end", |event| event["type"] == "attempt/ended" && event["data"]["attempt"] == *of);
    let took = began.elapsed();
    course.stop(Stop::Pause);
    course.settle(Stop::Pause, open);
    took
}

fn long_text() -> String {
    "a long word ".repeat(16_000)
}

/// A random part of a time.
fn part(dice: &mut fastrand::Rng, of: Duration) -> Duration {
    Duration::from_micros(dice.u64(..=u64::try_from(of.as_micros()).expect("fits")))
}

/// The attempt that the log shows as running, and how much of their prompts the stopped ones got.
#[derive(Default)]
struct Open {
    attempt: Option<Value>,
    whole: u32,
    part: u32,
    nothing: u32,
}

impl Open {
    fn note(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("attempt/started") => self.attempt = Some(event["data"]["attempt"].clone()),
            Some("attempt/ended") => {
                self.attempt = None;
                if event["data"]["outcome"]["kind"] == "interrupted" {
                    match event["data"]["delivered"].as_str() {
                        Some("yes") => self.whole += 1,
                        Some("no") => self.nothing += 1,
                        _ => self.part += 1,
                    }
                }
            }
            _ => {}
        }
    }
}

/// Stops again and again, at random moments.
fn stops(name: &'static str, stop: Stop, scene: Scene, counts: Counts) {
    let mut trial = Trial::new(name, counts);
    let mut course = Course::new(scene);
    let mut silences: Vec<Silence> = Vec::new();
    let mut open = Open::default();
    let mut answers = Vec::new();
    let turn = one_turn(&mut course, &mut open);
    for _ in 0..trial.count() {
        let started = monotonic();
        if let Some(silence) = silences.last_mut() {
            silence.to = started;
        }
        course.start();
        match scene {
            Scene::Rounds => std::thread::sleep(part(&mut trial.dice, turn * 3)),
            Scene::Message => {
                std::thread::sleep(part(&mut trial.dice, turn * 3));
                course.say("and the readme");
            }
            Scene::LongPrompt => {
                course.say(&long_text());
                std::thread::sleep(part(&mut trial.dice, turn * 3 / 2));
            }
            Scene::Retry => {
                let failed = |event: &Value| event["data"]["next"]["kind"] == "retry";
                let event = course.until("a failure", |event| event["type"] == "attempt/ended" && failed(event));
                let after = event["data"]["next"]["afterMs"].as_u64().expect("a delay");
                std::thread::sleep(part(&mut trial.dice, Duration::from_millis(after * 2)));
            }
        }
        let asked = monotonic();
        let answered = course.stop(stop);
        answers.push(Duration::from_nanos(answered - asked));
        silences.push(Silence { from: answered, to: u64::MAX });
        course.settle(stop, &mut open);
    }
    judge(&mut trial, &course.world, &silences);
    let cut = format!("{} before a byte, {} in mid-prompt, {} after it", open.nothing, open.part, open.whole);
    trial.result("agents cut", cut);
    trial.times("answer", &mut answers);
}

/// Compares the agents' notes with the times of the answers.
fn judge(trial: &mut Trial, world: &World, silences: &[Silence]) {
    let noted = reader::noted(world);
    assert!(!noted.is_empty(), "the agent reads its prompts");
    let late = |noted: &Noted| silences.iter().any(|silence| silence.from < noted.called && noted.called < silence.to);
    let late: Vec<&Noted> = noted.iter().filter(|noted| late(noted)).collect();
    assert!(late.is_empty(), "{} of {} reads came after an answer: {late:?}", late.len(), noted.len());
    // Called before the answer and back after it: the agent was not running in between, and the clock cannot tell.
    let across = |noted: &&Noted| silences.iter().any(|of| noted.called <= of.from && of.from < noted.returned);
    trial.result("reads", noted.len());
    trial.result("across an answer", noted.iter().filter(across).count());
}

/// Creates goals in fresh workspaces, one after another, until the daemon lets it no more.
fn create_without_end(world: &World, round: u32, first: &Barrier) {
    let mut asking = Course::connect(world);
    for n in 0_u32.. {
        let workspace = world.home().join(format!("work-{round}-{n}"));
        std::fs::create_dir(&workspace).expect("made");
        let params = json!({
            "target": {"by": "place", "workspace": workspace, "name": "main"},
            "objective": {"from": "inline", "text": "begin"},
            "agent": "reader",
            "caller": reader::caller(world, Manner::AtOnce),
        });
        let request = json!({"jsonrpc": "2.0", "id": n + 10, "method": "create", "params": params});
        asking.send(format!("{request}\n").as_bytes());
        let Some(answer) = asking.line() else { return };
        if n == 0 {
            first.wait();
        }
        if answer["result"].is_null() {
            assert_eq!(code(&answer), "stopping", "{answer}");
            return;
        }
    }
}

#[test]
fn no_byte_of_any_prompt_comes_after_the_daemons_stop_though_others_go_on_asking() {
    let mut trial = Trial::new("fence: daemon stop while others create", Counts { few: 10, short: 50, full: 500 });
    let mut course = Course::new(Scene::Rounds);
    let mut silences: Vec<Silence> = Vec::new();
    let turn = one_turn(&mut course, &mut Open::default());
    for round in 0..trial.count() {
        if let Some(silence) = silences.last_mut() {
            silence.to = monotonic();
        }
        let spread = part(&mut trial.dice, turn * 2);
        let first = Barrier::new(2);
        let world = &course.world;
        let asking = &mut course.asking;
        std::thread::scope(|scope| {
            scope.spawn(|| create_without_end(world, round, &first));
            first.wait();
            std::thread::sleep(spread);
            let answer = asking.call("daemon.stop", json!({}));
            silences.push(Silence { from: monotonic(), to: u64::MAX });
            assert!(answer["error"].is_null(), "{answer}");
        });
        while course.event().is_some() {}
        course.world.goal(&["daemon", "start"]).exits(0);
        course.asking = Course::connect(&course.world);
        course.log = Course::connect(&course.world);
        course.follow();
    }
    judge(&mut trial, &course.world, &silences);
}

/// The counts of the issue.
const COUNTS: Counts = Counts { few: 20, short: 100, full: 1_000 };

#[test]
fn no_byte_of_a_prompt_comes_after_a_pause() {
    stops("fence: pause", Stop::Pause, Scene::Rounds, COUNTS);
}

#[test]
fn no_byte_of_a_prompt_comes_after_a_clear() {
    stops("fence: clear", Stop::Clear, Scene::Rounds, COUNTS);
}

#[test]
fn no_byte_of_a_prompt_comes_after_a_completion() {
    stops("fence: complete", Stop::Complete, Scene::Rounds, COUNTS);
}

#[test]
fn no_byte_of_a_prompt_comes_after_a_block() {
    stops("fence: block", Stop::Block, Scene::Rounds, COUNTS);
}

#[test]
fn no_byte_of_a_prompt_comes_after_the_daemons_stop() {
    stops("fence: daemon stop", Stop::Daemon, Scene::Rounds, COUNTS);
}

#[test]
fn no_byte_of_a_message_comes_after_a_pause_that_came_after_it() {
    stops("fence: pause after a message", Stop::Pause, Scene::Message, COUNTS);
}

#[test]
fn no_byte_of_a_long_prompt_comes_after_a_pause_though_the_pipe_was_full() {
    stops("fence: pause in a long prompt", Stop::Pause, Scene::LongPrompt, COUNTS);
}

#[test]
fn no_byte_of_a_prompt_comes_after_a_pause_in_the_millisecond_of_a_retry() {
    stops("fence: pause at a retry", Stop::Pause, Scene::Retry, COUNTS);
}
