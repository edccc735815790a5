//! Whole attempts: output, outcome, bounds.

use crate::world::{Witness, World, open};
use goald_daemon::agent::{self, Resumed};
use goald_daemon::attempt::{AttemptHandle, AttemptReport, Bounds, start};
use goald_daemon::guard::{Guard, LadderTimes, Launch};
use goald_schema::agent::{Adapter, AgentProfile, OutputFormat};
use goald_schema::event::{CancelCause, Delivered, Failure, FailureKind, Outcome, TimeoutKind};
use goald_schema::usage::Usage;
use std::time::Duration;
use tokio::task::JoinHandle;

const BOUNDS: Bounds = Bounds { total: Duration::from_mins(10), idle: Duration::from_mins(10), output_cap: 1 << 20 };

fn profile(output: OutputFormat) -> AgentProfile {
    let adapter = Adapter::Command { program: "/bin/sh".to_owned(), args: Vec::new(), output };
    AgentProfile { name: "test".to_owned(), adapter }
}

async fn begin(
    world: &World,
    launch: Launch,
    format: OutputFormat,
    bounds: Bounds,
) -> (AttemptHandle, JoinHandle<AttemptReport>) {
    let adapter = agent::adapter(&profile(format), Resumed::default());
    start(open(launch).await, adapter, world.path("output"), bounds)
}

async fn report(world: &World, script: &str, format: OutputFormat, bounds: Bounds) -> AttemptReport {
    let (handle, task) = begin(world, world.script(script), format, bounds).await;
    let report = task.await.expect("no panic");
    let state = *handle.output().borrow();
    assert!(state.done);
    assert_eq!(state.len, std::fs::metadata(world.path("output")).expect("a file").len());
    report
}

fn failure(report: &AttemptReport) -> &Failure {
    let Outcome::Failed { failure } = &report.outcome else { panic!("{report:?}") };
    failure
}

pub async fn a_text_agent_completes_with_its_output_and_last_words() {
    let world = World::new();
    let mut launch = world.script("read line; echo \"got $line\"; echo noise >&2");
    launch.stdin = b"the prompt\n".to_vec();
    let (_, task) = begin(&world, launch, OutputFormat::Text, BOUNDS).await;
    let report = task.await.expect("no panic");
    assert_eq!((&report.outcome, report.delivered), (&Outcome::Completed, Delivered::Yes));
    assert_eq!(report.final_text.as_deref(), Some("got the prompt"));
    assert_eq!((report.usage, report.agent_session), (None, None), "unknown is not zero");
    let mut lines: Vec<_> = world.read("output").lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["got the prompt", "noise"]);
}

pub async fn json_lines_tell_session_usage_and_end() {
    let world = World::new();
    let end = r#"echo '{"type":"end","result":"completed","text":"done"}'"#;
    let facts = r#"echo '{"type":"session","id":"s9"}'; echo '{"type":"usage","scope":"step","outputTokens":4}';
        echo '{"type":"usage","scope":"step","outputTokens":5}'; echo 'goal complete';"#;
    let whole = report(&world, &format!("{facts} {end}"), OutputFormat::JsonLines, BOUNDS).await;
    assert_eq!(whole.outcome, Outcome::Completed);
    assert_eq!((whole.agent_session.as_deref(), whole.final_text.as_deref()), (Some("s9"), Some("done")));
    assert_eq!(whole.usage, Some(Usage { output_tokens: 9, ..Usage::default() }));

    let world = World::new();
    let cut = report(&world, facts, OutputFormat::JsonLines, BOUNDS).await;
    assert_eq!(failure(&cut).kind, FailureKind::Crash);
    assert!(failure(&cut).message.contains("no end event"), "{cut:?}");
    assert_eq!(cut.usage, Some(Usage { output_tokens: 9, ..Usage::default() }), "what was used counts all the same");
}

pub async fn a_crash_says_exit_status_and_the_end_of_standard_error() {
    let world = World::new();
    let report = report(&world, "echo fine; echo 'it broke' >&2; exit 3", OutputFormat::Text, BOUNDS).await;
    assert_eq!(
        (failure(&report).kind, failure(&report).message.as_str()),
        (FailureKind::Crash, "exit code 3: it broke")
    );
}

pub async fn a_missing_program_is_a_spawn_failure_and_a_missing_folder_one_of_the_workspace() {
    let mut kinds = Vec::new();
    for absent in ["program", "folder"] {
        let world = World::new();
        let mut launch = world.script("");
        launch.stdin = b"prompt".to_vec();
        if absent == "program" {
            launch.program = world.path("absent");
        } else {
            launch.cwd = world.path("absent");
        }
        let (_, task) = begin(&world, launch, OutputFormat::Text, BOUNDS).await;
        let report = task.await.expect("no panic");
        assert_eq!(report.delivered, Delivered::No);
        kinds.push(failure(&report).kind);
    }
    assert_eq!(kinds, [FailureKind::Spawn, FailureKind::Workspace]);
}

pub async fn output_over_the_cap_is_discarded_and_the_agent_goes_on() {
    let world = World::new();
    let bounds = Bounds { output_cap: 1_000, ..BOUNDS };
    let script = "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end";
    let report = report(&world, script, OutputFormat::Text, bounds).await;
    assert_eq!(report.outcome, Outcome::Completed);
    assert!(report.final_text.is_some_and(|text| text.ends_with("x\nend")));
    let note = "\n[goald: 4999005 bytes over the 1000 kept were discarded]\n";
    assert_eq!(world.read("output"), format!("{}{note}", "x".repeat(1_000)));
}

pub async fn a_line_without_end_and_invalid_utf_8_are_kept_and_harm_nothing() {
    let world = World::new();
    let script = r#"printf 'a\377b\n'; head -c 3000000 /dev/zero | tr '\0' y; echo;
        printf '{"type":"end","result":"completed","text":"no newline"}'"#;
    let bounds = Bounds { output_cap: 64 << 20, ..BOUNDS };
    let report = report(&world, script, OutputFormat::JsonLines, bounds).await;
    assert_eq!(report.outcome, Outcome::Completed);
    assert_eq!(report.final_text.as_deref(), Some("no newline"));
    let bytes = std::fs::read(world.path("output")).expect("output");
    assert!(bytes.starts_with(b"a\xffb\nyyy") && bytes.len() > 3_000_000);
}

pub async fn silence_and_slowness_run_into_their_own_bounds() {
    let short = Duration::from_millis(200);
    // The chatty one is never silent for long, so only the whole can run out.
    let chatty = "while :; do echo x; sleep 0.01; done";
    for (script, bounds, bound) in [
        ("exec sleep 600", Bounds { idle: short, ..BOUNDS }, TimeoutKind::Idle),
        (chatty, Bounds { total: short, ..BOUNDS }, TimeoutKind::Round),
    ] {
        let world = World::new();
        let report = report(&world, script, OutputFormat::Text, bounds).await;
        assert_eq!(report.outcome, Outcome::Timeout { bound });
        assert!(report.worked_ms >= 200, "{}", report.worked_ms);
    }
}

pub async fn the_strongest_cause_of_a_cancellation_is_the_outcome() {
    let world = World::new();
    let says = world.witness("says");
    // It takes the interrupt for an occasion to announce success.
    let end = r#"echo "{\"type\":\"end\",\"result\":\"completed\"}"; exit 0"#;
    let mut launch = world.script(&format!("exec 9>says; trap '{end}' INT; sleep 600 & echo up >&9; wait"));
    launch.stdin = b"prompt".to_vec();
    launch.ladder = LadderTimes::default();
    let (handle, task) = begin(&world, launch, OutputFormat::JsonLines, BOUNDS).await;
    let (_, witness) = Witness::open(&says).await.line().await;
    assert_eq!(handle.fence().await, Delivered::No);
    for cause in [CancelCause::Pause, CancelCause::Clear, CancelCause::Message] {
        handle.cancel(cause);
    }
    let report = task.await.expect("no panic");
    assert_eq!((report.outcome, report.delivered), (Outcome::Interrupted { cause: CancelCause::Clear }, Delivered::No));
    witness.gone().await;
}

pub async fn a_lost_guard_is_a_lost_attempt() {
    let world = World::new();
    let says = world.witness("says");
    let launch = world.script("exec 9>says; echo up >&9; exec sleep 600");
    let guard = Guard::spawn(&crate::world::goal(), launch).await.expect("a guard");
    let pid = nix::unistd::Pid::from_raw(i32::try_from(guard.process().pid).expect("a pid"));
    let adapter = agent::adapter(&profile(OutputFormat::Text), Resumed::default());
    let (_, task) = start(guard.open().expect("open"), adapter, world.path("output"), BOUNDS);
    let (_, witness) = Witness::open(&says).await.line().await;
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("it is there");
    let report = task.await.expect("no panic");
    assert_eq!((report.outcome, report.delivered), (Outcome::Lost, Delivered::Unknown));
    witness.gone().await;
}
