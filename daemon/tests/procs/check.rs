//! Checks by a command.

use crate::world::{Witness, World, goal};
use goald_daemon::process::leftover::{self, Mark};
use goald_daemon::verify::command::{self, Scene};
use goald_schema::criterion::{Check, CheckTrouble, CommandCheck, Criterion, CriterionId, CriterionResult};
use goald_schema::id::{AttemptId, SessionId};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

fn criterion(run: &str, exit_code: i32, timeout_ms: u64) -> Criterion {
    let check = Check::Command(CommandCheck { run: run.to_owned(), exit_code, timeout_ms });
    Criterion { id: CriterionId("c1".to_owned()), check }
}

async fn check(world: &World, criterion: &Criterion) -> (CriterionResult, String) {
    let env = ["PATH=/usr/bin:/bin", "GOALD_TOKEN=secret", "KEY=kept"];
    let env: BTreeMap<_, _> =
        env.iter().filter_map(|pair| pair.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    let place = (goal(), world.path(""));
    run(&place, &env, &CancellationToken::new(), criterion).await
}

/// By this program as guard, in this folder.
async fn run(
    (goal, workspace): &(PathBuf, PathBuf),
    caller: &BTreeMap<String, String>,
    cancelled: &CancellationToken,
    criterion: &Criterion,
) -> (CriterionResult, String) {
    command::run(Scene { goal, workspace, caller, mark: mark(), cancelled }, criterion).await
}

/// One for this process.
fn mark() -> Mark {
    let of = |number: u32| Uuid::from_u128(u128::from(number));
    Mark::Check(SessionId::from_uuid(of(std::process::id())), AttemptId::from_uuid(of(7)))
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
    let (env, token, trivial) = (BTreeMap::new(), CancellationToken::new(), criterion("exit 0", 0, 60_000));
    let (gone, _) = run(&(goal(), nowhere.clone()), &env, &token, &trivial).await;
    assert!(!gone.met && matches!(gone.trouble, Some(CheckTrouble::CannotRun { .. })), "{gone:?}");
    let (no_guard, _) = run(&(nowhere, world.path("")), &env, &token, &trivial).await;
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
    assert_eq!(tail, format!("{}/kept/\n", mark().value()));
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

pub async fn a_cancelled_check_is_over_only_when_nothing_of_it_is_left() {
    let world = World::new();
    let (says, held) = (world.witness("says"), world.witness("held"));
    // It takes its time to end, and something of it goes on in another session.
    let slow = "(setsid sh -c 'exec 9>held; trap \"\" INT; echo up >&9; exec sleep 600' &); \
                exec 8>says; trap 'echo stopping; exit 0' INT; echo up >&8; sleep 600 & wait";
    let (criterion, token) = (criterion(slow, 0, 600_000), CancellationToken::new());
    let place = (goal(), world.path(""));
    let (env, up) = (BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]), async {
        let witnesses = (Witness::open(&says).await.line().await.1, Witness::open(&held).await.line().await.1);
        token.cancel();
        witnesses
    });
    let ((result, tail), (says, held)) = tokio::join!(run(&place, &env, &token, &criterion), up);
    assert!(!result.met && matches!(result.trouble, Some(CheckTrouble::CannotRun { .. })), "{result:?}");
    assert_eq!(tail, "stopping\n");
    // Nothing of it is left already: no pipe has to be waited for.
    let closed = std::time::Duration::from_millis(100);
    tokio::time::timeout(closed, async { tokio::join!(says.gone(), held.gone()) })
        .await
        .expect("gone before the answer");
}

pub async fn what_a_check_left_is_found_by_its_mark_and_nobody_elses_is_touched() {
    let session = |number: u128| SessionId::from_uuid(Uuid::from_u128((u128::from(std::process::id()) << 32) + number));
    let attempt = AttemptId::from_uuid(Uuid::from_u128(9));
    let sleeper = |name: &str, value: String| {
        let mut command = Command::new("sleep");
        command.arg("600").env(name, value).stdin(Stdio::null()).spawn().expect("sleep")
    };
    let of = |number| Mark::Check(session(number), attempt).value();
    let mut mine = [sleeper("GOALD_CHECK", of(1)), sleeper("GOALD_CHECK", of(2))];
    let mut others = [
        sleeper("GOALD_CHECK", of(3)),
        sleeper("GOALD_CHECK", session(1).to_string()),
        sleeper("GOALD_CHECK", format!("x{}", of(1))),
        sleeper("GOALD_CHECK", attempt.to_string()),
        sleeper("GOALD_CHECKS", of(1)),
        sleeper("OTHER", format!("GOALD_CHECK={}", of(1))),
    ];
    let sessions = [session(1), session(2)];
    let ended = tokio::task::spawn_blocking(move || leftover::end_checks(&sessions)).await.expect("no panic");
    assert_eq!(ended, 2);
    for child in &mut mine {
        assert!(!child.wait().expect("reaped").success());
    }
    for child in &mut others {
        assert_eq!(child.try_wait().expect("asked"), None, "a bystander was ended");
        child.kill().expect("ours");
        child.wait().expect("reaped");
    }
}
