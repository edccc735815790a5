//! The binary `goal`: the command line, and, started as such, the daemon and the guard. The only file that names the
//! daemon's crate; everything else speaks to the daemon over its socket.

mod app;
mod args;
mod client;
mod demo;
mod error;
mod home;
mod mcp;
mod place;
mod print;
mod render;
mod verb;

use app::App;
use args::{Cli, Daemon, DaemonRun, Verb};
use clap::Parser;
use error::{CliError, Outcome};
use goald_daemon::{DaemonError, guard};
use goald_schema::{ErrorCode, Exit, WireError};
use home::Places;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: a guard has one thread, no runtime, and no use for a command line.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == guard::ARGUMENT) {
        return guard::run();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(&error),
    };
    let json = cli.common.json;
    let exit = match run(cli) {
        Ok(exit) => exit,
        Err(error) => {
            report(&error, json);
            error.exit()
        }
    };
    ExitCode::from(exit.code())
}

fn run(cli: Cli) -> Outcome {
    let app = App { common: cli.common, places: Places::find()? };
    match cli.verb.unwrap_or(Verb::Status) {
        Verb::Daemon(Daemon::Run(args)) => daemon(&app.places, &args),
        Verb::Doctor(args) if args.recover.is_some() => {
            let file = args.recover.unwrap_or_default();
            let home = home(&app.places)?;
            verb::doctor::recovered(&app, &file, |target| Ok(goald_daemon::doctor::recover(&home, target)?))
        }
        Verb::Doctor(_) => {
            let path = std::env::var_os("PATH");
            verb::doctor::run(&app, |places| Ok(goald_daemon::doctor::examine(&home(places)?, path.as_deref())))
        }
        verb => verb::run(&app, verb),
    }
}

/// The places as the daemon knows them.
fn home(places: &Places) -> Result<goald_daemon::home::Home, CliError> {
    let program = std::env::current_exe()
        .map_err(|error| CliError::new(ErrorCode::Internal, format!("this program cannot be found: {error}")))?;
    Ok(goald_daemon::home::Home {
        state: places.state.clone(),
        config: places.config.clone(),
        socket: places.socket.clone(),
        runtime: std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute()),
        temporary: std::env::temp_dir(),
        program,
        guard: "/proc/self/exe".into(),
    })
}

/// Runs the daemon in this process, until it is stopped.
fn daemon(places: &Places, args: &DaemonRun) -> Outcome {
    if args.detached {
        let_go_of_inherited()?;
        // It leaves the terminal and the process group of whoever needed it; it cannot fail in a fresh child.
        nix::unistd::setsid().map_err(|error| CliError::new(ErrorCode::Internal, format!("setsid: {error}")))?;
    }
    let home = home(places)?;
    let detached = args.detached;
    let ready = Box::new(move |socket: &Path| {
        if detached {
            print::line(client::READY);
            close_output();
        } else {
            print::line(&format!("goald listens at {}; Ctrl-C stops it", socket.display()));
        }
    });
    match goald_daemon::run(home, ready) {
        Ok(()) => Ok(Exit::Done),
        // Whoever waited for a daemon has one.
        Err(DaemonError::Running { .. }) if detached => {
            print::line(client::READY);
            Ok(Exit::Done)
        }
        Err(error) if detached => {
            // Whoever started it reads this line and reports it.
            print::json(&WireError::from(&error));
            Ok(error.code().exit())
        }
        Err(error) => Err(WireError::from(&error).into()),
    }
}

/// Closes what whoever started the daemon had left open: a script's lock must not stay held for as long as the daemon runs.
fn let_go_of_inherited() -> Result<(), CliError> {
    let failed = |error: std::io::Error| CliError::new(ErrorCode::Internal, format!("open descriptors: {error}"));
    let mut inherited: Vec<i32> = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd").map_err(failed)? {
        let number: Option<i32> = entry.map_err(failed)?.file_name().to_str().and_then(|name| name.parse().ok());
        inherited.extend(number.filter(|number| *number > 2));
    }
    for number in inherited {
        match nix::unistd::close(number) {
            // The one by which the folder was read is closed already.
            Ok(()) | Err(nix::errno::Errno::EBADF) => {}
            Err(error) => return Err(failed(error.into())),
        }
    }
    Ok(())
}

/// Lets go of the pipe that whoever started the daemon reads.
fn close_output() {
    if let Ok(null) = std::fs::OpenOptions::new().write(true).open("/dev/null")
        && let Err(error) = nix::unistd::dup2_stdout(null)
    {
        print::note(&format!("warning: standard output stays open: {error}"));
    }
}

/// Help and version are results; anything else is wrong usage, said as JSON to whoever wants JSON.
fn misused(error: &clap::Error) -> ExitCode {
    let wants_json =
        std::env::args_os().skip(1).take_while(|argument| argument != "--").any(|argument| argument == "--json");
    if error.use_stderr() && wants_json {
        let text = error.to_string();
        let (message, hint) = text.split_once("\n\n").unwrap_or((text.as_str(), ""));
        let message = message.strip_prefix("error: ").unwrap_or(message).trim();
        report(&CliError::new(ErrorCode::InvalidValue, message).hint(hint.trim()), true);
        return ExitCode::from(Exit::Usage.code());
    }
    error.exit()
}

fn report(error: &CliError, json: bool) {
    if json {
        print::json(&serde_json::json!({"error": error.0}));
        return;
    }
    print::note(&format!("error: {}", render::escape::block(&error.0.message)));
    if let Some(hint) = &error.0.hint {
        print::note(&format!("hint: {}", render::escape::block(hint)));
    }
}
