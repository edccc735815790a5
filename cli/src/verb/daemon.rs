//! `goal daemon start|stop|restart|status|logs`. (`run` is the daemon itself, in `main`.)

use crate::app::App;
use crate::args::{Daemon, Logs};
use crate::client::{Connection, OnDemand};
use crate::error::{CliError, Outcome};
use crate::{print, render};
use goald_schema::protocol::daemon::{DaemonStatus, NoParams};
use goald_schema::{ErrorCode, Exit, Via};
use notify::{RecursiveMode, Watcher};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Starts, stops and shows the daemon.
pub fn run(app: &App, verb: &Daemon) -> Outcome {
    match verb {
        // `main` has taken it: it is the daemon, and no client.
        Daemon::Run(_) => Err(CliError::new(ErrorCode::Internal, "the daemon is not a client")),
        Daemon::Start => status(app, app.connect()?),
        Daemon::Stop => stop(app),
        Daemon::Restart => {
            match stop(app) {
                Ok(_) => {}
                Err(error) if error.0.code == ErrorCode::Unreachable => {}
                Err(error) => return Err(error),
            }
            status(app, app.connect()?)
        }
        Daemon::Status => status(app, leave(app)?),
        Daemon::Logs(args) => logs(app, args),
    }
}

fn leave(app: &App) -> Result<Connection, CliError> {
    Connection::open(&app.places, Via::Cli, OnDemand::Leave)
}

fn status(app: &App, mut connection: Connection) -> Outcome {
    let reply = connection.call::<DaemonStatus>(&NoParams {})?;
    if app.common.json {
        print::json(&reply);
        return Ok(Exit::Done);
    }
    print::line(&format!(
        "goald {} runs (pid {}) since {}",
        reply.version,
        reply.pid,
        render::time::local(reply.started_at)
    ));
    print::line(&format!("  state     {}\n  socket    {}\n  log       {}", reply.home, reply.socket, reply.log));
    print::line(&format!("  sessions  {} in memory, {} working", reply.sessions_loaded, reply.running));
    if let Some(damage) = &reply.store_damage {
        print::line(&format!("  damaged   {}", render::escape::block(&damage.message)));
    }
    Ok(Exit::Done)
}

/// Stops it, and returns when it has gone.
fn stop(app: &App) -> Outcome {
    let reply = leave(app)?.stop(&app.places)?;
    if app.common.json {
        print::json(&reply);
    } else {
        print::line(&format!("stopped (pid {})", reply.pid));
    }
    Ok(Exit::Done)
}

fn logs(app: &App, args: &Logs) -> Outcome {
    let path = app.places.log();
    let failed = |what: String| {
        CliError::new(ErrorCode::NotFound, format!("{}: {what}", path.display())).hint("goal daemon start writes one")
    };
    let open = || std::fs::File::open(&path).map_err(|error| failed(error.to_string()));
    let mut file = open()?;
    let mut show = || -> Result<(), CliError> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
        // A full one was moved away: it is read to its end, then the new one from its start.
        while let Some(next) = successor(&file, &path) {
            file = next;
            file.read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
        }
        print::text(&render::escape::block(&String::from_utf8_lossy(&bytes)));
        Ok(())
    };
    if !args.follow {
        show()?;
        return Ok(Exit::Done);
    }
    // Watched before it is read: what is written meanwhile is told.
    let (tell, told) = std::sync::mpsc::channel();
    let mut watcher = notify::recommended_watcher(tell).map_err(|error| failed(error.to_string()))?;
    // The folder and not the file, which is another one once it was full.
    watcher.watch(&app.places.state, RecursiveMode::NonRecursive).map_err(|error| failed(error.to_string()))?;
    show()?;
    for event in told {
        if event.map_err(|error| failed(error.to_string()))?.paths.contains(&path) {
            show()?;
        }
    }
    Ok(Exit::Done)
}

/// The log that has taken this one's place.
fn successor(file: &std::fs::File, path: &Path) -> Option<std::fs::File> {
    let next = std::fs::File::open(path).ok()?;
    (next.metadata().ok()?.ino() != file.metadata().ok()?.ino()).then_some(next)
}
