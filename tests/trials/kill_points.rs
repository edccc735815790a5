//! The daemon, the guard, or both, killed at every named place (`daemon/src/crash.rs`).

use super::ground::{GONE, Ground, Plot, Process};
use super::ledger::{self, Ledger};
use super::{Counts, Trial};
use crate::harness::Raw;
use goald_daemon::crash::Place;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Works until it is stopped, unless there is `quick`; then leaves a process behind, and has done its work the second time.
const AGENT: &str = "cat > /dev/null; echo working; [ -e quick ] || exec sleep 1000
(LEFT=1 setsid sleep 1000 &)
[ -n \"$GOALD_ROUND\" ] || exit 0
[ -e again ] && touch done; touch again";

/// So many long objectives fill the write-ahead log up to its next checkpoint.
const MANY: usize = 18;

/// Why a story is not told to its end.
#[derive(Debug)]
enum Cut {
    /// The daemon is dead.
    Died,
    /// A guard was lost before its agent began: the goal waits for a person.
    Blocked,
}

/// A goal's life in one workspace: everything that passes a place.
struct Story<'a> {
    ground: &'a Ground,
    plot: Plot,
    environment: Vec<(&'a str, &'a str)>,
    long_objectives: usize,
    ledger: Ledger,
    /// Every event that a follower saw.
    seen: Vec<Value>,
    /// A change that was asked for, and not answered.
    unanswered: Option<(&'static str, Value)>,
    messages: usize,
    keys: usize,
}

/// Connections to one daemon.
struct Talk {
    raw: Raw,
    follower: Raw,
    process: Process,
}

impl<'a> Story<'a> {
    fn new(ground: &'a Ground, environment: Vec<(&'a str, &'a str)>, long_objectives: usize) -> Self {
        let plot = ground.plots().remove(0);
        let (ledger, seen) = (Ledger::default(), Vec::new());
        Self { ground, plot, environment, long_objectives, ledger, seen, unanswered: None, messages: 0, keys: 0 }
    }

    /// Rounds with checks, messages, edits, a pause and a resume; a killed daemon and its successor; a stop.
    fn tell(&mut self) -> Result<(), Cut> {
        let mut talk = self.start()?;
        self.change(&mut talk, "create", self.plot.create())?;
        self.until(&mut talk, "attempt/started", |_| true)?;
        self.say(&mut talk)?;
        for number in 0..self.long_objectives {
            let text = format!("{number} {}", "done is there ".repeat(16_000));
            self.edit(&mut talk, json!({"objective": {"from": "file", "text": text}}))?;
        }
        let paused = self.with_ref(&mut talk, "pause", json!({}))?;
        self.attempt_over(&mut talk, &paused)?;
        self.plot.touch("quick");
        self.say(&mut talk)?;
        self.until(&mut talk, "message/delivered", |_| true)?;
        self.edit(&mut talk, json!({"maxRounds": 200_000}))?;
        self.with_ref(&mut talk, "resume", json!({"caller": self.plot.caller()}))?;
        self.until(&mut talk, "goal/change", |event| event["data"]["operation"] == "complete")?;

        // Killed at work by the test itself, if nothing else has; the next one finds what is left.
        self.slow_goal(&mut talk)?;
        talk.process.signal(Signal::KILL);
        assert!(talk.process.wait());
        let mut talk = self.start()?;
        self.plot.touch("quick");
        self.plot.touch("again");
        self.with_ref(&mut talk, "resume", json!({"caller": self.plot.caller()}))?;
        self.until(&mut talk, "goal/change", |event| event["data"]["operation"] == "complete")?;

        self.slow_goal(&mut talk)?;
        talk.raw.ask("daemon.stop", json!({})).ok_or(Cut::Died)?;
        assert!(talk.process.wait());
        Ok(())
    }

    /// A new goal whose agent works until it is stopped.
    fn slow_goal(&mut self, talk: &mut Talk) -> Result<(), Cut> {
        for name in ["quick", "again", "done"] {
            self.plot.remove(name);
        }
        self.change(talk, "create", self.plot.create())?;
        self.until(talk, "attempt/started", |_| true)?;
        Ok(())
    }

    fn start(&mut self) -> Result<Talk, Cut> {
        let process = self.ground.start(&self.environment).ok_or(Cut::Died)?;
        let raw = self.ground.reach().ok_or(Cut::Died)?;
        let mut follower = self.ground.reach().ok_or(Cut::Died)?;
        let after = self.seen.last().map_or(0, |event| event["position"].as_u64().unwrap_or(0));
        follower.ask("log.subscribe", json!({"after": after})).ok_or(Cut::Died)?;
        Ok(Talk { raw, follower, process })
    }

    /// Asks for a change until it is answered, and notes that it was.
    fn change(&mut self, talk: &mut Talk, method: &'static str, mut params: Value) -> Result<Value, Cut> {
        self.keys += 1;
        params["idempotencyKey"] = json!(format!("key {}", self.keys));
        self.unanswered = Some((method, params.clone()));
        let answer = talk.raw.ask(method, params).ok_or(Cut::Died)?;
        self.unanswered = None;
        if answer["error"]["data"]["code"].is_string() {
            // Refused because a lost guard has blocked the goal.
            return Err(Cut::Blocked);
        }
        assert_eq!(answer["result"]["changed"], true, "{method}: {answer}");
        self.ledger.note(&answer);
        Ok(answer)
    }

    fn with_ref(&mut self, talk: &mut Talk, method: &'static str, mut params: Value) -> Result<Value, Cut> {
        let status = talk.raw.ask("status", json!({"target": self.plot.target()})).ok_or(Cut::Died)?;
        let goal = &status["result"]["goal"];
        params["target"] = self.plot.target();
        params["ref"] = json!({"id": goal["id"], "revision": goal["revision"]});
        self.change(talk, method, params)
    }

    fn edit(&mut self, talk: &mut Talk, patch: Value) -> Result<(), Cut> {
        self.with_ref(talk, "edit", patch).map(drop)
    }

    fn say(&mut self, talk: &mut Talk) -> Result<(), Cut> {
        self.messages += 1;
        let text = format!("message {}", self.messages);
        let params = json!({"target": self.plot.target(), "text": text, "caller": self.plot.caller()});
        self.change(talk, "say", params).map(drop)
    }

    /// Follows the log to the next event of a type that fits.
    fn until(&mut self, talk: &mut Talk, kind: &str, fits: impl Fn(&Value) -> bool) -> Result<Value, Cut> {
        loop {
            let line = talk.follower.line().ok_or(Cut::Died)?;
            let event = line["params"].clone();
            assert_eq!(line["method"], "log.event", "{line}");
            self.seen.push(event.clone());
            if event["type"] == kind && fits(&event) {
                return Ok(event);
            }
            if event["data"]["operation"] == "block" {
                return Err(Cut::Blocked);
            }
        }
    }

    /// Waits for the end of the attempt that an answer shows, if it shows one.
    fn attempt_over(&mut self, talk: &mut Talk, answer: &Value) -> Result<(), Cut> {
        let Some(attempt) = answer["result"]["status"]["attempt"]["id"].as_str() else { return Ok(()) };
        self.until(talk, "attempt/ended", |event| event["data"]["attempt"] == attempt).map(drop)
    }

    /// The next daemon has everything, starts nothing, and brings the goal to its end.
    fn verify(&mut self) {
        let process = self.ground.start(&[]).expect("the next daemon starts");
        let log = self.ground.verified_start();
        ledger::still_there(&self.seen, &log);
        self.ledger.is_kept(&log);
        let mut raw = self.ground.reach().expect("it answers");
        for name in ["quick", "again"] {
            self.plot.touch(name);
        }
        // What was asked for without an answer is asked for again, as a client does: it happens once.
        if let Some((method, params)) = self.unanswered.take() {
            let answer = raw.call(method, params);
            self.ledger.note(&answer);
            let refused = ["stale-revision", "wrong-phase", "unfinished-goal", "no-session", "nothing-to-stop"];
            let code = crate::harness::code(&answer);
            assert!(answer.get("result").is_some() || refused.contains(&code), "{method} again: {answer}");
        }
        self.plot.complete(&mut raw).expect("it lives");
        let end = self.ground.log();
        ledger::still_there(&log, &end);
        self.ledger.is_kept(&end);
        let queued = end.iter().filter(|event| event["type"] == "message/queued").count();
        assert_eq!(queued, self.messages, "each message once");
        self.ground.alone();
        let answer = raw.call("daemon.stop", json!({}));
        assert!(answer.get("result").is_some(), "{answer}");
        assert!(process.wait());
        assert!(self.ground.at_work().is_empty());
    }
}

/// How often each place was passed; with `!` after its name, whether somebody died there.
fn trace(ground: &Ground) -> BTreeMap<String, u32> {
    let text = std::fs::read_to_string(ground.world.work().join("trace")).unwrap_or_default();
    let mut passed = BTreeMap::new();
    for line in text.lines() {
        *passed.entry(line.to_owned()).or_default() += 1;
    }
    passed
}

/// How often the story passes each place.
fn passings() -> BTreeMap<String, u32> {
    let ground = Ground::new(1, AGENT);
    let file = ground.world.work().join("trace");
    let mut story = Story::new(&ground, vec![("GOALD_CRASH_TRACE", file.to_str().expect("UTF-8"))], MANY);
    story.tell().expect("nobody dies");
    let passed = trace(&ground);
    story.verify();
    passed
}

#[test]
fn every_place_is_passed_by_the_story_that_the_trial_tells() {
    let passed = passings();
    let missed: Vec<&str> =
        Place::ALL.iter().map(|place| place.name()).filter(|name| !passed.contains_key(*name)).collect();
    assert_eq!(missed, [""; 0], "places that are never passed");
    assert_eq!(passed.len(), Place::ALL.len());
}

/// Who dies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whom {
    Daemon,
    Guard,
    Both,
}

#[test]
fn kill_at_every_point() {
    let all = |place: &Place| {
        let whom: &[Whom] =
            if place.name().starts_with("guard-") { &[Whom::Guard, Whom::Both] } else { &[Whom::Daemon] };
        whom.iter().map(|whom| (*place, *whom)).collect::<Vec<_>>()
    };
    let mut deaths: Vec<(Place, Whom)> = Place::ALL.iter().flat_map(all).collect();
    let once = u32::try_from(deaths.len()).expect("few");
    let mut trial = Trial::new("kill at every point", Counts { few: 6, short: once, full: 4 * once });
    let passings = passings();
    let count = usize::try_from(trial.count()).expect("fits");
    if trial.count() <= once {
        trial.dice.shuffle(&mut deaths);
    }
    let (mut times, mut not_passed) = (Vec::new(), 0);
    for (number, (place, whom)) in deaths.iter().cycle().take(count).enumerate() {
        let most = passings.get(place.name()).copied().unwrap_or(1);
        // All of them: the first, the second, the third time, and some time.
        let passing = match u32::try_from(number).expect("few") / once + 1 {
            turn @ 1..=3 if trial.count() > once && turn <= most => turn,
            _ => trial.dice.u32(1..=most),
        };
        match die(*place, passing, *whom) {
            Death::Died(time) => times.extend(time),
            Death::Spared => {
                assert!(passing > most / 2, "{place:?} is passed {most} times, but not for time {passing}");
                not_passed += 1;
            }
        }
    }
    trial.result("places", Place::ALL.len());
    trial.result("not passed that often", not_passed);
    trial.times("no agent left after", &mut times);
}

/// What came of it.
enum Death {
    /// Somebody died, and the agents were gone after this time; not measured where their guard died too.
    Died(Option<Duration>),
    /// Nobody came by that often.
    Spared,
}

/// One death, and what follows.
fn die(place: Place, passing: u32, whom: Whom) -> Death {
    let what = format!("{place:?}, passing {passing}, {whom:?}");
    std::io::Write::write_all(&mut std::io::stdout(), format!("{what}\n").as_bytes()).ok();
    let ground = Ground::new(1, AGENT);
    let file = ground.world.work().join("trace");
    let at = format!("{}:{passing}", place.name());
    let mut environment = vec![("GOALD_CRASH_AT", at.as_str()), ("GOALD_CRASH_TRACE", file.to_str().expect("UTF-8"))];
    if whom == Whom::Both {
        environment.push(("GOALD_CRASH_WHOM", "both"));
    }
    let long = if matches!(place, Place::CheckpointDue | Place::CheckpointDone) { MANY } else { 1 };
    let mut story = Story::new(&ground, environment, long);
    let cut = story.tell();
    let noticed = Instant::now();
    let died = trace(&ground).contains_key(&format!("{}!", place.name()));
    assert!(died || cut.is_ok(), "{what}: {cut:?}");
    let mut gone = None;
    match (whom, cut) {
        (Whom::Daemon, Ok(()) | Err(Cut::Died)) => {
            let took = ground.quiet_since(noticed);
            assert!(took < GONE, "{what}: an agent was there after {took:?}");
            gone = Some(took);
        }
        // What a guard that died too has left is ended by the next daemon.
        (Whom::Both, Err(Cut::Died)) | (Whom::Both | Whom::Guard, Ok(())) => {}
        (Whom::Guard, Err(Cut::Blocked)) => ground.world.kill_daemon(),
        (_, cut) => panic!("{what}: {cut:?}"),
    }
    story.verify();
    if died { Death::Died(gone) } else { Death::Spared }
}
