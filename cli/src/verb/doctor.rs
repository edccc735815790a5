//! `goal doctor`. What there is to see in the files was looked at by the daemon's own code; here the daemon is asked.

use crate::app::App;
use crate::client::{Connection, OnDemand, TOKEN};
use crate::error::{CliError, Outcome};
use crate::home::Places;
use crate::{print, render};
use goald_schema::doctor::{Area, DaemonSeen, DoctorReport, Finding, FindingCode, Recovered};
use goald_schema::protocol::daemon::{DaemonStatus, DaemonStatusReply, NoParams};
use goald_schema::{ErrorCode, Exit, Via};
use nix::fcntl::{Flock, FlockArg};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// How long a daemon may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(10);

/// What became of asking the daemon.
#[derive(Debug)]
enum Answer {
    /// It says how it is.
    Here(Box<DaemonStatusReply>),
    /// There is none, or it has just ended.
    Gone,
    /// One has the state folder, but nothing is to be had of it.
    Silent(CliError),
}

/// Shows what an examination found, with what the daemon itself says.
pub fn run(app: &App, examine: impl FnOnce(&Places) -> Result<DoctorReport, CliError>) -> Outcome {
    let mut places = app.places.clone();
    // An agent is told the socket of its daemon, but not where that keeps its things: the daemon is asked first.
    let first = std::env::var_os(TOKEN).filter(|token| !token.is_empty()).map(|_| asked(&places));
    if let Some(Answer::Here(reply)) = &first {
        places.state = PathBuf::from(&reply.home);
        let config = places.state.join("config.toml");
        if config.exists() {
            places.config = config;
        }
    }
    let report = examine(&places)?;
    let DoctorReport { version, state, daemon, mut findings, .. } = report;
    findings.extend(heard(first.unwrap_or_else(|| asked(&places)), daemon, &version, &state));
    let report = DoctorReport::new(version, state, daemon, findings);
    if app.common.json {
        print::json(&report);
    } else {
        print::text(&render::doctor::text(&report));
    }
    Ok(if report.sound { Exit::Done } else { Exit::Failed })
}

/// Lets what can be read be written into a new file, and shows what is missing.
pub fn recovered(app: &App, file: &Path, recover: impl FnOnce(&Path) -> Result<Recovered, CliError>) -> Outcome {
    let target = std::path::absolute(file)
        .map_err(|error| CliError::new(ErrorCode::InvalidValue, format!("{}: {error}", file.display())))?;
    let recovered = recover(&target)?;
    if app.common.json {
        print::json(&recovered);
    } else {
        print::text(&render::recovery::text(&recovered));
    }
    Ok(Exit::Done)
}

/// Asks whoever listens. One that is starting or stopping is waited for; one that hangs is not.
fn asked(places: &Places) -> Answer {
    let (tell, told) = mpsc::channel();
    let places = places.clone();
    std::thread::spawn(move || {
        let answer = match once(&places) {
            Err(error) if error.0.code == ErrorCode::Unreachable => {
                released(&places.state.join("goald.starting"));
                once(&places).map_or_else(
                    |error| {
                        if released(&places.state.join("goald.lock")) { Answer::Gone } else { Answer::Silent(error) }
                    },
                    |reply| Answer::Here(Box::new(reply)),
                )
            }
            Err(error) => Answer::Silent(error),
            Ok(reply) => Answer::Here(Box::new(reply)),
        };
        // Nobody waits any more where it took too long.
        drop(tell.send(answer));
    });
    told.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        let said = format!("nothing was heard of it for {} s", PATIENCE.as_secs());
        Answer::Silent(CliError::new(ErrorCode::Unreachable, said))
    })
}

fn once(places: &Places) -> Result<DaemonStatusReply, CliError> {
    Connection::open(places, Via::Cli, OnDemand::Leave)?.call::<DaemonStatus>(&NoParams {})
}

/// Returns once nobody holds this lock, and takes it no longer than that. A lock that cannot be waited for is held by some
/// other user's daemon, if by any: false, where it is there.
fn released(lock: &Path) -> bool {
    match std::fs::File::open(lock) {
        Ok(file) => Flock::lock(file, FlockArg::LockShared).is_ok(),
        Err(error) => error.kind() != std::io::ErrorKind::PermissionDenied,
    }
}

/// What its answer, or its silence, means.
fn heard(answer: Answer, seen: DaemonSeen, version: &str, state: &str) -> Option<Finding> {
    let same = |home: &str| home == state || std::fs::canonicalize(home).ok() == std::fs::canonicalize(state).ok();
    let reply = match answer {
        Answer::Here(reply) => reply,
        Answer::Gone if seen == DaemonSeen::Absent => return None,
        Answer::Gone => return Some(Finding::ok(Area::Daemon, "it has ended meanwhile")),
        Answer::Silent(error) if error.0.code == ErrorCode::UnsupportedVersion => {
            let said = format!("the daemon speaks another protocol: {}", error.0.message);
            let finding = Finding::problem(Area::Daemon, FindingCode::DaemonVersion, said);
            return Some(finding.hint("goal daemon restart"));
        }
        // Nothing to do with this state folder.
        Answer::Silent(_) if seen == DaemonSeen::Absent => return None,
        Answer::Silent(error) => {
            let said = format!("a daemon has the state folder but does not answer: {}", error.0.message);
            let finding = Finding::problem(Area::Daemon, FindingCode::DaemonSilent, said);
            return Some(finding.hint("goal daemon logs; if it stays so, end it by its pid"));
        }
    };
    if !same(&reply.home) {
        let said = format!("the daemon that answers at {} (pid {}) uses another state folder", reply.socket, reply.pid);
        let finding = Finding::problem(Area::Daemon, FindingCode::DaemonElsewhere, said);
        return Some(finding.hint(format!("it uses {}; check GOALD_HOME and GOALD_SOCKET", reply.home)));
    }
    if let Some(damage) = &reply.store_damage {
        let said = format!("the daemon takes no changes: {}", damage.message);
        let finding = Finding::problem(Area::Daemon, FindingCode::DaemonRefuses, said);
        return Some(finding.hint("docs/recovery.md; if the log is whole by now, goal daemon restart"));
    }
    if reply.version != version {
        let said = format!("the daemon is goald {}, this program is goald {version}", reply.version);
        return Some(Finding::note(Area::Daemon, FindingCode::DaemonVersion, said).hint("goal daemon restart"));
    }
    Some(Finding::ok(Area::Daemon, format!("the daemon answers; it is goald {version}, as this program")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use goald_schema::Timestamp;

    fn reply() -> DaemonStatusReply {
        DaemonStatusReply {
            pid: 1,
            version: "1".to_owned(),
            started_at: Timestamp::from_millis(0).expect("a time"),
            home: "/h".to_owned(),
            socket: "/h/goald.sock".to_owned(),
            log: "/h/goald.log".to_owned(),
            sessions_loaded: 0,
            running: 0,
            store_damage: None,
        }
    }

    fn code(answer: Answer, seen: DaemonSeen) -> Option<FindingCode> {
        heard(answer, seen, "1", "/h").and_then(|finding| finding.code)
    }

    #[test]
    fn what_answers_must_be_this_state_folders_of_this_version_and_whole() {
        let code = |reply: DaemonStatusReply| code(Answer::Here(Box::new(reply)), DaemonSeen::Runs);
        assert_eq!(code(reply()), None);
        assert_eq!(code(DaemonStatusReply { version: "2".to_owned(), ..reply() }), Some(FindingCode::DaemonVersion));
        assert_eq!(code(DaemonStatusReply { home: "/".to_owned(), ..reply() }), Some(FindingCode::DaemonElsewhere));
        let store_damage = Some(goald_schema::WireError::new(ErrorCode::StoreDamaged, "cut"));
        assert_eq!(code(DaemonStatusReply { store_damage, ..reply() }), Some(FindingCode::DaemonRefuses));
    }

    #[test]
    fn silence_is_a_problem_where_the_state_folder_is_locked() {
        let silent = |code| Answer::Silent(CliError::new(code, "x"));
        assert_eq!(code(silent(ErrorCode::Unreachable), DaemonSeen::Runs), Some(FindingCode::DaemonSilent));
        assert_eq!(code(silent(ErrorCode::UnsupportedVersion), DaemonSeen::Runs), Some(FindingCode::DaemonVersion));
        assert_eq!(code(silent(ErrorCode::Unreachable), DaemonSeen::Absent), None);
        assert_eq!(code(Answer::Gone, DaemonSeen::Runs), None);
        assert_eq!(code(Answer::Gone, DaemonSeen::Absent), None);
    }
}
