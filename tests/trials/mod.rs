//! Trials of the promises: what a test shows once is tried many times here, at random places, against the real binary.
//!
//! How often is set by `GOALD_TRIALS`: absent (few, in `cargo test`), `short` (in `.ci/run`) or `full` (`.ci/trials`, whose
//! summary is `docs/trials.md`). A trial that fails names its seed; `GOALD_TRIALS_SEED` repeats it.

mod figures;
mod garbage;
mod idle;
mod lag;
mod socket;
mod stored;
mod trial;

use trial::{Counts, Trial};
