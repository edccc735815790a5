//! Ten thousand random histories through the whole of the core: commands by everybody, stale refs, messages, claims,
//! retries, crashes, restarts, clocks that jump. Reproducible: the seed is fixed.

mod invariants;
mod op;
mod world;

use goald_core::Fact;
use goald_schema::event::Event;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use world::World;

const HISTORIES: u32 = 10_000;

#[test]
fn ten_thousand_random_histories_keep_every_invariant() {
    let config = Config { cases: HISTORIES, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let seen = std::cell::RefCell::new(std::collections::BTreeMap::<&str, usize>::new());
    let outcome = runner.run(&op::history(), |history| {
        let mut world = World::new();
        for op in history {
            world.happen(op);
        }
        world.comes_to_rest();
        assert_eq!(world.session.replayed(), world.session.state);
        for kind in world.session.kinds_since(0) {
            *seen.borrow_mut().entry(kind).or_default() += 1;
        }
        let cut = |fact: &Fact| matches!(&fact.event, Event::MessageQueued(queued) if queued.interrupts.is_some());
        let interrupted = world.session.log.iter().filter(|(_, fact)| cut(fact)).count();
        *seen.borrow_mut().entry("interrupted").or_default() += interrupted;
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    // A history that never gets anywhere would prove nothing.
    let seen = seen.into_inner();
    for (kind, at_least) in [
        ("goal/change", 20_000),
        ("round/admitted", 10_000),
        ("attempt/started", 10_000),
        ("message/delivered", 2_000),
        ("interrupted", 1_000),
        ("verdict/recorded", 2_000),
        ("claim/made", 2_000),
        ("claim/refused", 200),
        ("authority/refused", 2_000),
        ("turn/stopped", 200),
        ("pause/requested", 200),
        ("pause/withdrawn", 50),
    ] {
        let count = seen.get(kind).copied().unwrap_or(0);
        assert!(count >= at_least, "{kind} happened {count} times: {seen:?}");
    }
}
