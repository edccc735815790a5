//! How often a trial is run, by which dice, and where its result is noted.

use std::fmt::Display;
use std::io::Write as _;

/// How often something is tried.
#[derive(Clone, Copy)]
pub struct Counts {
    /// In `cargo test`.
    pub few: u32,
    /// In `.ci/run`.
    pub short: u32,
    /// In `.ci/trials`.
    pub full: u32,
}

/// One trial: its count, its dice, its result.
pub struct Trial {
    name: &'static str,
    count: u32,
    seed: u64,
    /// Everything random in the trial comes from here.
    pub dice: fastrand::Rng,
    results: Vec<String>,
}

impl Trial {
    /// Begins a trial. It is noted when it is dropped, if it did not fail.
    pub fn new(name: &'static str, counts: Counts) -> Self {
        let count = match std::env::var("GOALD_TRIALS").as_deref() {
            Err(_) | Ok("few") => counts.few,
            Ok("short") => counts.short,
            Ok("full") => counts.full,
            Ok(other) => panic!("GOALD_TRIALS is few, short or full, not {other:?}"),
        };
        let seed = match std::env::var("GOALD_TRIALS_SEED") {
            Ok(seed) => seed.parse().expect("GOALD_TRIALS_SEED is a number"),
            Err(_) => fastrand::u64(..),
        };
        Self { name, count, seed, dice: fastrand::Rng::with_seed(seed), results: Vec::new() }
    }

    /// How often to try.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Notes a measured result, with its unit.
    pub fn result(&mut self, what: &str, value: impl Display) {
        self.results.push(format!("{what} {value}"));
    }

    /// Notes median and worst of measured times.
    pub fn times(&mut self, what: &str, times: &mut [std::time::Duration]) {
        times.sort_unstable();
        if let (Some(median), Some(worst)) = (times.get(times.len() / 2), times.last()) {
            self.results.push(format!("{what} median {median:.1?}, worst {worst:.1?}"));
        }
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        let Self { name, count, seed, results, .. } = self;
        let line = format!("| {name} | {count} | {seed} | {} |\n", results.join("; "));
        if std::thread::panicking() {
            std::io::stderr()
                .write_all(format!("FAILED TRIAL {line}GOALD_TRIALS_SEED={seed} repeats it\n").as_bytes())
                .ok();
        } else if let Some(path) = std::env::var_os("GOALD_TRIALS_REPORT") {
            let mut report =
                std::fs::OpenOptions::new().create(true).append(true).open(path).expect("the report opens");
            report.write_all(line.as_bytes()).expect("the report is written");
        }
    }
}
