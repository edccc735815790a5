//! Checks by a command.

use crate::world::{Witness, World, goal};
use goald_daemon::verify::command;
use goald_schema::criterion::{Check, CheckTrouble, CommandCheck, Criterion, CriterionId, CriterionResult};
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

fn criterion(run: &str, exit_code: i32, timeout_ms: u64) -> Criterion {
    let check = Check::Command(CommandCheck { run: run.to_owned(), exit_code, timeout_ms });
    Criterion { id: CriterionId("c1".to_owned()), check }
}

async fn check(world: &World, criterion: &Criterion) -> (CriterionResult, String) {
    until(world, criterion, &CancellationToken::new()).await.expect("nobody cancels it")
}

/// Nothing if it was cancelled.
async fn until(world: &World, criterion: &Criterion, cancel: &CancellationToken) -> Option<(CriterionResult, String)> {
    let env = ["PATH=/usr/bin:/bin", "GOALD_TOKEN=secret", "KEY=kept"];
    let env: BTreeMap<_, _> =
        env.iter().filter_map(|pair| pair.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    command::run(&goal(), criterion, &world.path(""), &env, cancel).await
}

pub async fn the_exit_code_decides() {
    let world = World::new();
    for (run, expected, met) in [("exit 0", 0, true), ("exit 1", 0, false), ("exit 3", 3, true), ("exit 0", 3, false)] {
        let (result, _) = check(&world, &criterion(run, expected, 60_000)).await;
        assert_eq!((result.met, result.trouble), (met, None), "{run} for {expected}");
        assert!(result.exit_code.is_some());
    }
}

pub async fn a_check_that_cannot_tell_is_never_met() {
    let world = World::new();
    let (killed, _) = check(&world, &criterion("kill -9 $$", 0, 60_000)).await;
    assert_eq!((killed.met, killed.trouble), (false, Some(CheckTrouble::Killed { signal: 9 })));
    let (slow, tail) = check(&world, &criterion("trap 'exit 0' INT; echo begun; sleep 600 & wait", 0, 300)).await;
    assert_eq!((slow.met, slow.exit_code), (false, None));
    assert_eq!((slow.trouble, tail.as_str()), (Some(CheckTrouble::TimedOut { after_ms: 300 }), "begun\n"));
    let nowhere = world.path("absent");
    let (plain, never) = (criterion("exit 0", 0, 60_000), CancellationToken::new());
    let ran = command::run(&goal(), &plain, &nowhere, &BTreeMap::new(), &never).await;
    let (gone, _) = ran.expect("nobody cancels it");
    assert!(!gone.met && matches!(gone.trouble, Some(CheckTrouble::CannotRun { .. })), "{gone:?}");
    let ran = command::run(&nowhere, &plain, &world.path(""), &BTreeMap::new(), &never).await;
    let (no_guard, _) = ran.expect("nobody cancels it");
    assert!(!no_guard.met && matches!(no_guard.trouble, Some(CheckTrouble::CannotRun { .. })), "{no_guard:?}");
}

pub async fn the_end_of_the_output_is_kept() {
    let world = World::new();
    let script = "head -c 100000 /dev/zero | tr '\\0' x; printf 'a\\377b\\n'; echo last >&2";
    let (result, tail) = check(&world, &criterion(script, 0, 60_000)).await;
    assert!(result.met && tail.len() <= 8 << 10, "{}", tail.len());
    assert!(tail.ends_with("xa\u{fffd}b\nlast\n"), "{tail}");
}

pub async fn a_check_knows_that_it_is_one_and_has_no_token() {
    let world = World::new();
    let script = "echo \"$GOALD_CHECK/$KEY/$GOALD_TOKEN\"; cat; pwd > where";
    let (_, tail) = check(&world, &criterion(script, 0, 60_000)).await;
    assert_eq!(tail, "1/kept/\n");
    assert!(world.path("where").exists());
}

pub async fn a_dropped_check_leaves_nothing_behind() {
    let world = World::new();
    let says = world.witness("says");
    let criterion = criterion("exec 9>says; (setsid sleep 600 &); echo up >&9; sleep 600", 0, 600_000);
    let witness = tokio::select! {
        (_, witness) = async { Witness::open(&says).await.line().await } => witness,
        result = check(&world, &criterion) => panic!("ended by itself: {result:?}"),
    };
    witness.gone().await;
}

pub async fn a_cancelled_check_hears_the_interrupt_and_is_waited_for_with_all_it_started() {
    let world = World::new();
    let (says, go) = (world.witness("says"), world.witness("go"));
    // A child in a session of its own hears no interrupt; the check itself takes its time to clean up.
    let script = "exec 9>says; trap 'echo cleaning >&9; read x < go; exit 1' INT; \
                  setsid sleep 600 & sleep 600 & echo up >&9; wait";
    let (criterion, cancel) = (criterion(script, 0, 600_000), CancellationToken::new());
    let running = until(&world, &criterion, &cancel);
    let watching = async {
        let (line, witness) = Witness::open(&says).await.line().await;
        assert_eq!(line, "up");
        cancel.cancel();
        let (line, witness) = witness.line().await;
        assert_eq!(line, "cleaning");
        witness
    };
    tokio::pin!(running);
    let witness = tokio::select! {
        witness = watching => witness,
        result = &mut running => panic!("not waited for: {result:?}"),
    };
    crate::world::let_go(go).await;
    assert_eq!(running.await, None, "whatever it would have said counts for nothing");
    // Everything is gone already: nothing has to be waited for.
    assert!(witness.is_gone(), "something of the check still runs");
}

pub async fn a_check_that_is_cancelled_before_it_starts_runs_nothing() {
    let world = World::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(until(&world, &criterion("touch ran", 0, 60_000), &cancel).await, None);
    assert!(!world.path("ran").exists());
}
