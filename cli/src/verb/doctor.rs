//! `goal doctor`. What there is to see in the files was looked at by the daemon's own code; here the daemon is asked.

use crate::app::App;
use crate::client::{Connection, OnDemand, TOKEN};
use crate::error::{CliError, Outcome};
use crate::home::Places;
use crate::{print, render};
use goald_schema::doctor::{Area, DaemonSeen, DoctorReport, Finding, FindingCode};
use goald_schema::protocol::daemon::{DaemonStatus, DaemonStatusReply, NoParams};
use goald_schema::{ErrorCode, Exit, Via};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

/// How long a daemon may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shows what an examination found, with what the daemon itself says.
pub fn run(app: &App, examine: impl FnOnce(&Places) -> Result<DoctorReport, CliError>) -> Outcome {
    let answer = asked(app);
    let report = examine(&meant(app, answer.as_ref().ok()))?;
    let DoctorReport { version, state, daemon, mut findings, .. } = report;
    findings.extend(heard(answer, daemon, &version));
    let report = DoctorReport::new(version, state, daemon, findings);
    if app.common.json {
        print::json(&report);
    } else {
        print::text(&render::doctor::text(&report));
    }
    Ok(if report.sound { Exit::Done } else { Exit::Failed })
}

/// The places to look at. An agent is told the socket of its daemon, but not where that keeps its things: the daemon is.
fn meant(app: &App, daemon: Option<&DaemonStatusReply>) -> Places {
    let mut places = app.places.clone();
    let inside = std::env::var_os(TOKEN).is_some_and(|token| !token.is_empty());
    if let Some(reply) = daemon.filter(|_| inside) {
        places.state = PathBuf::from(&reply.home);
        let config = places.state.join("config.toml");
        if config.exists() {
            places.config = config;
        }
    }
    places
}

/// Asks whoever listens; one that hangs is not waited for.
fn asked(app: &App) -> Result<DaemonStatusReply, CliError> {
    let (tell, told) = mpsc::channel();
    let places = app.places.clone();
    std::thread::spawn(move || {
        let answer = Connection::open(&places, Via::Cli, OnDemand::Leave)
            .and_then(|mut connection| connection.call::<DaemonStatus>(&NoParams {}));
        // Nobody waits any more where it took too long.
        drop(tell.send(answer));
    });
    told.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        let said = format!("it took the connection and said nothing for {} s", PATIENCE.as_secs());
        Err(CliError::new(ErrorCode::Unreachable, said))
    })
}

/// What its answer, or its silence, means.
fn heard(answer: Result<DaemonStatusReply, CliError>, seen: DaemonSeen, version: &str) -> Option<Finding> {
    match (answer, seen) {
        (Ok(reply), DaemonSeen::Absent) => {
            let said = format!(
                "a daemon answers at {} (pid {}), but it has not locked this state folder",
                reply.socket, reply.pid
            );
            Some(
                Finding::problem(Area::Daemon, FindingCode::DaemonElsewhere, said)
                    .hint(format!("it uses {}; check GOALD_HOME and GOALD_SOCKET", reply.home)),
            )
        }
        (Ok(reply), DaemonSeen::Runs) if reply.version != version => {
            let said = format!("the daemon is goald {}, this program is goald {version}", reply.version);
            Some(Finding::note(Area::Daemon, FindingCode::DaemonVersion, said).hint("goal daemon restart"))
        }
        (Ok(DaemonStatusReply { store_damage: Some(damage), .. }), DaemonSeen::Runs) => {
            let said = format!("the daemon takes no changes: {}", damage.message);
            let finding = Finding::problem(Area::Daemon, FindingCode::DaemonRefuses, said);
            Some(finding.hint("docs/recovery.md; if the log is whole by now, goal daemon restart"))
        }
        (Ok(_), DaemonSeen::Runs) => {
            Some(Finding::ok(Area::Daemon, format!("the daemon answers; it is goald {version}, as this program")))
        }
        (Err(error), DaemonSeen::Runs) if error.0.code == ErrorCode::UnsupportedVersion => {
            let said = format!("the daemon speaks another protocol: {}", error.0.message);
            Some(Finding::problem(Area::Daemon, FindingCode::DaemonVersion, said).hint("goal daemon restart"))
        }
        (Err(error), DaemonSeen::Runs) => {
            let said = format!("a daemon has the state folder but does not answer: {}", error.0.message);
            let finding = Finding::problem(Area::Daemon, FindingCode::DaemonSilent, said);
            Some(
                finding
                    .hint("it may be starting or stopping: look again; else goal daemon logs, then end it by its pid"),
            )
        }
        (Err(_), DaemonSeen::Absent) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goald_schema::Timestamp;

    fn reply(version: &str) -> DaemonStatusReply {
        DaemonStatusReply {
            pid: 1,
            version: version.to_owned(),
            started_at: Timestamp::from_millis(0).expect("a time"),
            home: "/h".to_owned(),
            socket: "/h/goald.sock".to_owned(),
            log: "/h/goald.log".to_owned(),
            sessions_loaded: 0,
            running: 0,
            store_damage: None,
        }
    }

    fn code(answer: Result<DaemonStatusReply, CliError>, seen: DaemonSeen) -> Option<FindingCode> {
        heard(answer, seen, "1").and_then(|finding| finding.code)
    }

    #[test]
    fn what_answers_and_what_is_locked_must_fit() {
        let silent = |code| Err(CliError::new(code, "x"));
        assert_eq!(code(Ok(reply("1")), DaemonSeen::Runs), None);
        let store_damage = Some(goald_schema::WireError::new(ErrorCode::StoreDamaged, "cut"));
        let refuses = DaemonStatusReply { store_damage, ..reply("1") };
        assert_eq!(code(Ok(refuses), DaemonSeen::Runs), Some(FindingCode::DaemonRefuses));
        assert_eq!(code(Ok(reply("2")), DaemonSeen::Runs), Some(FindingCode::DaemonVersion));
        assert_eq!(code(Ok(reply("1")), DaemonSeen::Absent), Some(FindingCode::DaemonElsewhere));
        assert_eq!(code(silent(ErrorCode::Unreachable), DaemonSeen::Runs), Some(FindingCode::DaemonSilent));
        assert_eq!(code(silent(ErrorCode::UnsupportedVersion), DaemonSeen::Runs), Some(FindingCode::DaemonVersion));
        assert_eq!(heard(silent(ErrorCode::Unreachable), DaemonSeen::Absent, "1"), None);
    }
}
