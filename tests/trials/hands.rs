//! Clients that never rest: each minds one session, and remembers what it was told.

use super::ground::Plot;
use super::ledger::Ledger;
use crate::harness::{Raw, code};
use serde_json::{Value, json};

/// A client of one session. It outlives daemons.
pub struct Hand {
    pub plot: Plot,
    pub ledger: Ledger,
    /// How many messages it sent.
    pub messages: usize,
    /// A change that it asked for without an answer. It is asked for again first of all, and happens once.
    unanswered: Option<(&'static str, Value)>,
    /// Errors after which nobody knows what is durable: as good as no answer.
    pub no_answers: &'static [&'static str],
    dice: fastrand::Rng,
    keys: u64,
}

/// Refusals that may meet a client that is not alone: the driver and a lost answer change what it saw.
const REFUSALS: [&str; 7] = [
    "stale-revision",
    "wrong-phase",
    "already-armed",
    "unfinished-goal",
    "nothing-to-stop",
    "no-session",
    "goal-complete",
];

impl Hand {
    pub fn new(plot: Plot, seed: u64) -> Self {
        let dice = fastrand::Rng::with_seed(seed);
        Self { plot, ledger: Ledger::default(), messages: 0, unanswered: None, no_answers: &[], dice, keys: 0 }
    }

    /// Works until the daemon is gone.
    pub fn work(&mut self) {
        let Some(mut raw) = self.plot.reach() else { return };
        if self.repeat(&mut raw).is_some() {
            while self.one(&mut raw).is_some() {}
        }
    }

    /// Asks again for what had no answer.
    pub fn repeat(&mut self, raw: &mut Raw) -> Option<()> {
        if let Some((method, params)) = &self.unanswered {
            let answer = raw.ask(method, params.clone())?;
            self.unanswered = None;
            self.note(&answer);
        }
        Some(())
    }

    fn one(&mut self, raw: &mut Raw) -> Option<()> {
        let target = self.plot.target();
        let status = raw.ask("status", json!({"target": target}))?;
        let status = &status["result"];
        let goal = &status["goal"];
        if goal.is_null() {
            return self.change(raw, "create", self.plot.create());
        }
        let reference = json!({"id": goal["id"], "revision": goal["revision"]});
        let mut params = json!({"target": target, "ref": reference});
        match self.dice.u8(0..20) {
            _ if status["activation"] == "disarmed" => {
                params["caller"] = self.plot.caller();
                self.change(raw, "resume", params)
            }
            0..=1 => self.change(raw, "pause", params),
            2 => {
                self.messages += 1;
                let text = format!("message {}", self.messages);
                self.change(raw, "say", json!({"target": target, "text": text, "caller": self.plot.caller()}))
            }
            3 => {
                let sessions = raw.ask("list", json!({}))?;
                assert!(sessions["result"]["sessions"].is_array(), "{sessions}");
                Some(())
            }
            _ => {
                params["maxRounds"] = json!(self.dice.u32(1_000_000..2_000_000));
                self.change(raw, "edit", params)
            }
        }
    }

    fn change(&mut self, raw: &mut Raw, method: &'static str, mut params: Value) -> Option<()> {
        self.keys += 1;
        params["idempotencyKey"] = json!(format!("key {}", self.keys));
        self.unanswered = Some((method, params.clone()));
        let answer = raw.ask(method, params)?;
        if self.no_answers.contains(&code(&answer)) {
            return None;
        }
        self.unanswered = None;
        self.note(&answer);
        Some(())
    }

    fn note(&mut self, answer: &Value) {
        assert!(answer.get("result").is_some() || REFUSALS.contains(&code(answer)), "{answer}");
        self.ledger.note(answer);
    }
}

/// Follows the whole log after a position while `more` is wanted, at most until the daemon is gone; what it saw.
pub fn follow(plot: &Plot, after: u64, more: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut seen = Vec::new();
    let Some(mut raw) = plot.reach() else { return seen };
    if raw.ask("log.subscribe", json!({"after": after})).is_none() {
        return seen;
    }
    while let Some(mut line) = raw.line() {
        assert_eq!(line["method"], "log.event", "{line}");
        seen.push(line["params"].take());
        if !seen.last().is_some_and(&more) {
            break;
        }
    }
    seen
}
