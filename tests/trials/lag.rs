//! A subscriber that lags far behind misses nothing, and costs no memory meanwhile.

use super::figures::Stage;
use super::{Counts, Trial, stored};
use serde_json::json;
use std::time::Instant;

#[test]
fn a_subscriber_that_lags_misses_nothing() {
    let mut trial =
        Trial::new("a subscriber that lags so many events", Counts { few: 3000, short: 20_000, full: 100_000 });
    let (world, log) = stored::stopped();
    let last = log.last().expect("some");
    stored::lengthen(&world, last, trial.count());
    let stage = Stage::of(world);
    let mut slow = stage.client();
    slow.call("log.subscribe", json!({"after": 0}));
    // Only now, while the subscriber does not read, something new happens.
    stage.world.goal(&["edit", "--max-rounds", "9"]).exits(0);
    let newest = last.position.get() + u64::from(trial.count()) + 1;
    let before = stage.kib("VmHWM");
    let began = Instant::now();
    for expected in 1..=newest {
        let told = slow.line().expect("an event");
        assert_eq!(told["params"]["position"], expected);
    }
    let took = began.elapsed();
    trial.result("caught up in", format!("{took:.1?}"));
    trial.result("peak memory while it lagged, afterwards:", format!("{before}, {} KiB", stage.kib("VmHWM")));
    assert!(stage.kib("VmHWM") < 64 * 1024, "{} KiB", stage.kib("VmHWM"));
    stage.no_panic();
}
