//! Trials of the promises: what a test shows once is tried many times here, at random places, against the real binary.
//!
//! How often is set by `GOALD_TRIALS`: absent (few, in `cargo test`), `short` (in `.ci/run`) or `full` (`.ci/trials`, whose
//! summary is `docs/trials.md`). A trial that fails names its seed; `GOALD_TRIALS_SEED` repeats it.

mod clock;
mod fence;
mod figures;
mod forgeries;
mod full_disk;
mod garbage;
mod ground;
mod hands;
mod hostile_agents;
mod idle;
mod kill_points;
mod kill_random;
mod lag;
mod ledger;
mod orphans;
mod power_cut;
mod reader;
mod socket;
mod stored;
mod trial;

use trial::{Counts, Trial};
