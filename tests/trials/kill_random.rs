//! Killed at random, under eight goals with busy clients: the daemon, a guard, an agent, a guard with the daemon.

use super::ground::{Doomed, GONE, Ground, Process, processes};
use super::hands::{Hand, follow};
use super::ledger::{self, Ledger};
use super::{Counts, Trial};
use crate::harness::PATIENCE;
use rustix::process::Signal;
use serde_json::Value;
use std::thread;
use std::time::{Duration, Instant};

/// Rounds of every kind: that last until they are stopped, that are over at once, that leave processes behind.
const AGENT: &str = "cat > /dev/null; [ -e finish ] && { touch done; exit 0; }; echo working
case $(( ${GOALD_ROUND:-1} % 4 )) in
0) exec sleep 1000;;
1) (LEFT=1 setsid sleep 1000 &);;
2) sleep 0.02; (LEFT=1 setsid sleep 1000 &); sleep 0.02;;
3) (LEFT=1 setsid sleep 1000 &); sleep 1000;;
esac";

const GOALS: usize = 8;
/// After so many daemons a new state folder is begun: the log is read as a whole after each.
const LIVES: u32 = 20;
/// So many guards or agents are killed under one daemon.
const STRIKES: u32 = 10;

/// Eight goals, their clients, and what is known of their log.
struct Field {
    ground: Ground,
    hands: Vec<Hand>,
    log: Vec<Value>,
    daemon: Process,
    lives: u32,
}

impl Field {
    fn new(dice: &mut fastrand::Rng) -> Self {
        let ground = Ground::new(GOALS, AGENT);
        let hands = ground.plots().into_iter().map(|plot| Hand::new(plot, dice.u64(..))).collect();
        let daemon = ground.start(&[]).expect("the first daemon starts");
        Self { ground, hands, log: Vec::new(), daemon, lives: 0 }
    }

    /// Lets everybody work while `strike` does its work, which ends with the daemon's death. Then starts the next daemon,
    /// and verifies that it has everything and starts nothing.
    fn live<T>(&mut self, strike: impl FnOnce(&Ground, &Process) -> T) -> T {
        let after = self.log.last().map_or(0, |event| event["position"].as_u64().expect("a position"));
        let plots = self.ground.plots();
        let (struck, seen) = thread::scope(|scope| {
            let followers: Vec<_> =
                plots[..2].iter().map(|plot| scope.spawn(move || follow(plot, after, |_| true))).collect();
            for hand in &mut self.hands {
                scope.spawn(|| hand.work());
            }
            let doomed = Doomed(&self.daemon);
            let struck = strike(&self.ground, &self.daemon);
            drop(doomed);
            let seen: Vec<_> = followers.into_iter().map(|follower| follower.join().expect("no panic")).collect();
            (struck, seen)
        });
        self.daemon = self.ground.start(&[]).expect("the next daemon starts");
        let log = self.ground.verified_start();
        ledger::still_there(&self.log, &log);
        for seen in &seen {
            ledger::still_there(seen, &log);
        }
        for hand in &self.hands {
            hand.ledger.is_kept(&log);
        }
        self.log = log;
        self.lives += 1;
        struck
    }

    /// Every goal comes to its end; what was acknowledged in all.
    fn finish(mut self) -> Ledger {
        let mut raw = self.ground.reach().expect("the daemon answers");
        let (mut all, mut messages) = (Ledger::default(), 0);
        for hand in &mut self.hands {
            hand.plot.touch("finish");
            hand.repeat(&mut raw).expect("the daemon answers");
            hand.plot.complete(&mut raw).expect("the daemon answers");
            messages += hand.messages;
            all.merge(hand.ledger.clone());
        }
        let log = self.ground.log();
        ledger::still_there(&self.log, &log);
        all.is_kept(&log);
        let queued = log.iter().filter(|event| event["type"] == "message/queued").count();
        assert_eq!(queued, messages, "each message once");
        self.ground.alone();
        all
    }
}

/// As many lives as are needed for the trial's count of strikes, `each` at most in one life.
fn trial(
    mut trial: Trial,
    each: u32,
    what: &str,
    strike: impl Fn(&Ground, &Process, &mut fastrand::Rng, u32) -> Vec<Duration>,
) {
    let (mut times, mut changes, mut left) = (Vec::new(), 0, trial.count());
    let mut field = Field::new(&mut trial.dice);
    let began = Instant::now();
    while left > 0 {
        let strikes = each.min(left);
        left -= strikes;
        times.extend(field.live(|ground, daemon| strike(ground, daemon, &mut trial.dice, strikes)));
        if field.lives == LIVES || left == 0 {
            changes += field.finish().changes;
            field = Field::new(&mut trial.dice);
        }
    }
    field.finish();
    for time in &times {
        assert!(*time < GONE, "an agent was there after {time:?}");
    }
    trial.result("acknowledged changes, all kept:", changes);
    trial.times(what, &mut times);
    trial.result("a strike with all that follows takes", format!("{:.0?}", began.elapsed() / trial.count()));
}

/// The dice: when to strike. Nothing depends on how long it is.
fn some_time(dice: &mut fastrand::Rng, at_most_ms: u64) {
    thread::sleep(Duration::from_micros(dice.u64(0..at_most_ms * 1_000)));
}

fn kill_daemon(ground: &Ground, daemon: &Process) -> Duration {
    let began = Instant::now();
    daemon.signal(Signal::KILL);
    assert!(daemon.wait());
    ground.quiet_since(began)
}

/// One of the processes with this parent, the same one as when it was looked for.
fn child(parent: u32, dice: &mut fastrand::Rng) -> Option<Process> {
    let children: Vec<u32> = processes().into_iter().filter(|(_, of)| *of == parent).map(|(pid, _)| pid).collect();
    let process = Process::open(*children.get(dice.usize(0..children.len().max(1)))?)?;
    processes().contains(&(process.pid, parent)).then_some(process)
}

/// What a guard holds: the agent's or check's own process, and what that has left already.
fn held(guard: &Process) -> (Vec<Process>, Vec<Process>) {
    let children = processes().into_iter().filter(|(_, of)| *of == guard.pid);
    children.filter_map(|(pid, _)| Process::open(pid)).partition(is_own)
}

/// The guard makes it the leader of a session; the scripts mark what they leave.
fn is_own(process: &Process) -> bool {
    let pid = i32::try_from(process.pid).expect("a pid");
    let leads = nix::unistd::getsid(Some(nix::unistd::Pid::from_raw(pid))).is_ok_and(|leader| leader.as_raw() == pid);
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    leads && !environment.split(|byte| *byte == 0).any(|variable| variable == b"LEFT=1")
}

/// Draws until there is one.
fn some<T>(dice: &mut fastrand::Rng, mut draw: impl FnMut(&mut fastrand::Rng) -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        some_time(dice, 40);
        if let Some(drawn) = draw(dice) {
            return drawn;
        }
        assert!(began.elapsed() < PATIENCE, "nobody works any more");
    }
}

#[test]
fn kill_at_random_the_daemon() {
    let counts = Counts { few: 5, short: 20, full: 500 };
    trial(Trial::new("kill -9 of the daemon", counts), 1, "no agent left after", |ground, daemon, dice, _| {
        some_time(dice, 300);
        vec![kill_daemon(ground, daemon)]
    });
}

#[test]
fn kill_at_random_a_guard() {
    let counts = Counts { few: 10, short: 20, full: 500 };
    trial(Trial::new("kill -9 of a guard", counts), STRIKES, "its agent gone after", |_, daemon, dice, strikes| {
        let mut times = Vec::new();
        for _ in 0..strikes {
            let guard = some(dice, |dice| child(daemon.pid, dice));
            let (own, left) = held(&guard);
            let began = Instant::now();
            guard.signal(Signal::KILL);
            assert!(own.iter().all(Process::wait));
            times.push(began.elapsed());
            assert!(left.iter().all(Process::wait), "the daemon ends what is left");
        }
        // What the last guard held is ended by this daemon or by the next.
        daemon.signal(Signal::KILL);
        assert!(daemon.wait());
        times
    });
}

#[test]
fn kill_at_random_an_agent() {
    let counts = Counts { few: 10, short: 20, full: 500 };
    trial(Trial::new("kill -9 of an agent", counts), STRIKES, "it is gone after", |ground, daemon, dice, strikes| {
        let mut times = Vec::new();
        for _ in 0..strikes {
            let agent = some(dice, |dice| held(&child(daemon.pid, dice)?).0.pop());
            let began = Instant::now();
            agent.signal(Signal::KILL);
            assert!(agent.wait());
            times.push(began.elapsed());
        }
        kill_daemon(ground, daemon);
        times
    });
}

#[test]
fn kill_at_random_the_daemon_and_a_guard_at_once() {
    let counts = Counts { few: 3, short: 10, full: 500 };
    let name = "kill -9 of the daemon and a guard at once";
    trial(Trial::new(name, counts), 1, "the guard's agent gone after", |_, daemon, dice, _| {
        some_time(dice, 300);
        let guard = some(dice, |dice| child(daemon.pid, dice));
        // It must not see the daemon's end before its own.
        guard.signal(Signal::STOP);
        let (own, _) = held(&guard);
        let began = Instant::now();
        daemon.signal(Signal::KILL);
        guard.signal(Signal::KILL);
        assert!(own.iter().all(Process::wait));
        let gone = began.elapsed();
        assert!(daemon.wait() && guard.wait());
        // What else the guard held is ended by the next daemon.
        vec![gone]
    });
}
