//! `goal demo`: goald at work on a small real project, in a temporary folder, with a daemon of its own.

use crate::app::{App, key};
use crate::args::{self, Common};
use crate::client::{Connection, OnDemand};
use crate::error::{CliError, Outcome};
use crate::home::Places;
use crate::render::style::{BAD, FAINT, GOOD, STRONG, paint};
use crate::{place, print, render, verb};
use goald_schema::event::{Event, EventRecord, VerdictResult};
use goald_schema::goal::WorkspaceUse;
use goald_schema::protocol::create::{Create, CreateParams, ObjectiveText};
use goald_schema::protocol::status::Status;
use goald_schema::protocol::target::{Caller, Target};
use goald_schema::{ErrorCode, Via};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const FILES: &[(&str, &str, u32)] = &[
    ("calc.sh", include_str!("project/calc.sh"), 0o644),
    ("test.sh", include_str!("project/test.sh"), 0o755),
    ("agent.sh", include_str!("project/agent.sh"), 0o755),
];
const OBJECTIVE: &str = "every test in test.sh passes";
const CHECK: &str = "./test.sh";

/// Shows it, and takes everything away again unless told to keep it.
pub fn run(app: &App, args: &args::Demo) -> Outcome {
    let failed = |error: std::io::Error| CliError::new(ErrorCode::Internal, format!("the demo's folder: {error}"));
    let mut folder = tempfile::Builder::new().prefix("goald-demo-").tempdir().map_err(failed)?;
    if args.keep {
        folder.disable_cleanup(true);
    }
    let project = folder.path().join("calculator");
    std::fs::create_dir(&project).map_err(failed)?;
    for (name, text, mode) in FILES {
        let path = project.join(name);
        std::fs::write(&path, text).map_err(failed)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(*mode)).map_err(failed)?;
    }
    let common = Common { directory: Some(project.clone()), ..app.common.clone() };
    let own = App { common, places: Places::inside(folder.path().join("home")) };
    let shown = show(&own, &project);
    stop(&own.places);
    let status = shown?;
    if !own.common.json {
        print::text(&render::status::ending(&status));
        farewell(args.keep.then_some(project.as_path()));
    }
    Ok(verb::outcome(&status).exit())
}

fn show(app: &App, project: &Path) -> Result<Status, CliError> {
    let target = Target::Place { workspace: place::workspace(project)?, name: place::DEFAULT_NAME.to_owned() };
    introduce(app, project);
    let mut connection = app.connect()?;
    let caller = Caller { cwd: project.to_string_lossy().into_owned(), ..crate::app::caller() };
    let params = CreateParams {
        target: target.clone(),
        objective: ObjectiveText::Inline { text: OBJECTIVE.to_owned() },
        agent: Some("./agent.sh".to_owned()),
        max_rounds: Some(10),
        checks: vec![CHECK.to_owned()],
        workspace_use: WorkspaceUse::Alone,
        replaces: None,
        caller: Some(caller),
        idempotency_key: Some(key()),
    };
    let changed = connection.change::<Create>(&params)?;
    let mut before = std::fs::read_to_string(project.join("calc.sh")).unwrap_or_default();
    verb::narrate(app, &target, &changed.status, |event| {
        if app.common.json {
            print::json(event);
            return;
        }
        if let Event::AttemptEnded(_) = event.event {
            let after = std::fs::read_to_string(project.join("calc.sh")).unwrap_or_default();
            print::text(&difference(&before, &after));
            before = after;
        }
        if let Some(line) = render::progress::line(event) {
            print::line(&line);
        }
        if let Some(why) = why(event) {
            print::line(&paint(FAINT, &format!("  {why}")));
        }
    })
}

fn introduce(app: &App, project: &Path) {
    if app.common.json {
        return;
    }
    print::line(&format!("A small project with failing tests: {}", project.display()));
    print::line("A scripted agent mends one thing a turn. Nothing leaves this machine, and no account is needed.");
    print::line(&paint(
        STRONG,
        &format!("$ goal run --agent ./agent.sh --check {CHECK} --max-rounds 10 \"{OBJECTIVE}\""),
    ));
}

/// What changed in a file, line by line.
fn difference(before: &str, after: &str) -> String {
    let gone = before.lines().filter(|line| !after.lines().any(|other| other == *line));
    let come = after.lines().filter(|line| !before.lines().any(|other| other == *line));
    let gone = gone.map(|line| paint(BAD, &format!("  - {}", render::escape::line(line))) + "\n");
    let come = come.map(|line| paint(GOOD, &format!("  + {}", render::escape::line(line))) + "\n");
    gone.chain(come).collect()
}

/// Why it goes on, or stops.
fn why(event: &EventRecord) -> Option<&'static str> {
    match &event.event {
        Event::VerdictRecorded(verdict) => match verdict.result {
            VerdictResult::Met => Some("The check passes: goald ran it itself, so the goal is reached."),
            VerdictResult::Unmet => Some("The check fails, so another round follows; its prompt says what failed."),
            _ => None,
        },
        _ => None,
    }
}

fn farewell(kept: Option<&Path>) {
    match kept {
        Some(project) => print::line(&format!("The project stays in {}.", project.display())),
        None => print::line("The demo's folder and its daemon are gone again (goal demo --keep keeps the folder)."),
    }
    print::line("Now with a program of yours, in a folder of yours:");
    print::line("  goal run --agent ./my-agent.sh --check 'make test' \"make test passes\"");
}

/// Stops the demo's own daemon and waits until it has gone. One that does not run needs no stopping.
fn stop(places: &Places) {
    let stopped = Connection::open(places, Via::Cli, OnDemand::Leave).and_then(|connection| connection.stop(places));
    if let Err(error) = stopped
        && error.0.code != ErrorCode::Unreachable
    {
        print::note(&format!("warning: the demo's daemon did not stop: {}", error.0.message));
    }
}
