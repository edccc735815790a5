//! Where the daemon keeps its things. Resolved by whoever starts it; nothing here looks at the environment.

use goald_schema::socket;
use std::path::PathBuf;

/// The daemon's places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Home {
    /// State folder, mode 0700: log, output files, lock, the daemon's own log file.
    pub state: PathBuf,
    /// The user's `config.toml`; need not exist.
    pub config: PathBuf,
    /// Where to listen; a path of the state folder that is too long gives way to a short one.
    pub socket: PathBuf,
    /// The user's runtime folder, for a short path; none where there is none.
    pub runtime: Option<PathBuf>,
    /// The system's temporary folder, for a short path.
    pub temporary: PathBuf,
    /// The program `goal`, as agents are told it.
    pub program: PathBuf,
    /// The program to start as guard: this very one, even if its file was replaced or removed meanwhile.
    pub guard: PathBuf,
}

impl Home {
    /// The database.
    pub fn database(&self) -> PathBuf {
        self.state.join("goald.db")
    }

    /// The socket, where nobody was told another path.
    pub fn own_socket(&self) -> PathBuf {
        self.state.join(socket::NAME)
    }

    /// The file that says where the socket is, where it is elsewhere.
    pub fn socket_record(&self) -> PathBuf {
        self.state.join(socket::RECORD)
    }

    /// The file whose lock makes a daemon the only one of its state folder.
    pub fn lock(&self) -> PathBuf {
        self.state.join("goald.lock")
    }

    /// The file whose lock is held while a daemon starts, so that a second starter can wait for the first.
    pub fn starting(&self) -> PathBuf {
        self.state.join("goald.starting")
    }

    /// The daemon's own log.
    pub fn log(&self) -> PathBuf {
        self.state.join("goald.log")
    }

    /// Long objectives, laid down for agents.
    pub fn objectives(&self) -> PathBuf {
        self.state.join("objectives")
    }

    /// Output of attempts, one file each.
    pub fn output(&self) -> PathBuf {
        self.state.join("output")
    }
}
