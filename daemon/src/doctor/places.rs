//! The state folder itself: that it is there, is a folder, and can be used.

use super::room;
use crate::home::Home;
use goald_schema::doctor::{Area, Finding, FindingCode};
use goald_schema::socket;
use nix::fcntl::AtFlags;
use nix::unistd::{AccessFlags, faccessat};
use std::io::ErrorKind;
use std::path::Path;

/// What was found of the state folder.
pub struct Place {
    /// Whether there is anything more to look at.
    pub is_there: bool,
    /// In words.
    pub findings: Vec<Finding>,
}

/// Looks at it.
pub fn look(home: &Home) -> Place {
    let path = home.state.display();
    let only = |finding| Place { is_there: false, findings: vec![finding] };
    match std::fs::metadata(&home.state) {
        Ok(found) if !found.is_dir() => {
            return only(
                Finding::problem(Area::Places, FindingCode::NotAFolder, format!("{path} is no folder"))
                    .hint("move it away, or set GOALD_HOME to a folder of your own"),
            );
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let said = format!("there is no state folder {path}: nothing was ever kept there");
            return only(
                Finding::note(Area::Places, FindingCode::NothingYet, said)
                    .hint("the first goal makes it; if there should be one, check GOALD_HOME"),
            );
        }
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            let said = format!("{path} lies below something that is no folder");
            return only(
                Finding::problem(Area::Places, FindingCode::NotAFolder, said)
                    .hint("set GOALD_HOME to a folder of your own"),
            );
        }
        Err(error) => return only(unreadable(&home.state, &error)),
    }
    if let Err(error) = std::fs::read_dir(&home.state) {
        return only(unreadable(&home.state, &error));
    }
    let mut findings = vec![writable(&home.state)];
    findings.push(listening(home));
    findings.extend(room::look(&home.state));
    Place { is_there: true, findings }
}

/// What cannot be looked at.
pub fn unreadable(path: &Path, error: &std::io::Error) -> Finding {
    Finding::problem(Area::Places, FindingCode::Unreadable, format!("{}: {error}", path.display()))
        .hint("look as the user that the daemon runs as")
}

fn writable(state: &Path) -> Finding {
    let how = AccessFlags::W_OK | AccessFlags::X_OK;
    match faccessat(nix::fcntl::AT_FDCWD, state, how, AtFlags::AT_EACCESS) {
        Ok(()) => Finding::ok(Area::Places, format!("the state folder is {}", state.display())),
        Err(error) => {
            let said = format!("{} cannot be written to: {}", state.display(), error.desc());
            Finding::problem(Area::Places, FindingCode::NotWritable, said).hint(
                "give it back to its user with chmod u+rwx, or make its file system writable; nothing is lost by it",
            )
        }
    }
}

/// Where the daemon listens, or would.
fn listening(home: &Home) -> Finding {
    let recorded = crate::socket_place::recorded(home);
    if recorded != home.socket {
        return Finding::ok(Area::Places, format!("the socket is elsewhere, as noted: {}", recorded.display()));
    }
    let said = if socket::fits(&home.socket) {
        format!("the socket's path is {}", home.socket.display())
    } else {
        "the socket's path is too long for the system: a daemon listens at a short one".to_owned()
    };
    Finding::ok(Area::Places, said)
}
