//! Where things are: `GOALD_HOME`, else the XDG folders. The only place that looks these variables up.

use crate::error::CliError;
use etcetera::BaseStrategy;
use goald_schema::ErrorCode;
use goald_schema::socket;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The places of this user's daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The folder that holds everything, where there is one.
    pub root: Option<PathBuf>,
    /// State folder.
    pub state: PathBuf,
    /// `config.toml`.
    pub config: PathBuf,
    /// The socket that was named, else that of the state folder, though it be too long; see `recorded_socket`.
    pub socket: PathBuf,
}

impl Places {
    /// From the environment.
    ///
    /// # Errors
    /// `bad-config` where there is no home folder, or `GOALD_HOME` is not absolute.
    pub fn find() -> Result<Self, CliError> {
        Self::from(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    }

    /// Everything in one folder.
    pub fn inside(home: PathBuf) -> Self {
        Self {
            config: home.join("config.toml"),
            socket: home.join(socket::NAME),
            state: home.clone(),
            root: Some(home),
        }
    }

    fn from(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, CliError> {
        let bad = |message: String| {
            CliError::new(ErrorCode::BadConfig, message).hint("set GOALD_HOME to a folder of your own")
        };
        let mut places = if let Some(home) = variable("GOALD_HOME") {
            let home = PathBuf::from(home);
            if !home.is_absolute() {
                return Err(bad(format!("GOALD_HOME is {}, which is not absolute", home.display())));
            }
            Self::inside(home)
        } else {
            let base = etcetera::choose_base_strategy().map_err(|error| bad(error.to_string()))?;
            let state = base.state_dir().unwrap_or_else(|| base.data_dir()).join("goald");
            let config = base.config_dir().join("goald").join("config.toml");
            Self { root: None, config, socket: state.join(socket::NAME), state }
        };
        if let Some(told) = variable("GOALD_SOCKET") {
            // The daemon works in another folder than whoever starts it.
            places.socket = std::path::absolute(&told).map_err(|error| bad(format!("GOALD_SOCKET: {error}")))?;
            if !socket::fits(&places.socket) {
                let (path, most) = (places.socket.display(), socket::PATH_BYTES);
                let message = format!("GOALD_SOCKET is {path}: the system allows at most {most} bytes");
                return Err(CliError::new(ErrorCode::BadConfig, message)
                    .hint("name a shorter path, or leave GOALD_SOCKET out: goald then finds one"));
            }
        }
        Ok(places)
    }

    /// The socket of the state folder, which a daemon uses that was not told another.
    pub fn own_socket(&self) -> PathBuf {
        self.state.join(socket::NAME)
    }

    /// Where the daemon has written that it listens, if it did; nobody asks for that who was told a socket.
    pub fn recorded_socket(&self) -> Option<PathBuf> {
        if self.socket != self.own_socket() {
            return None;
        }
        let path = std::fs::read(self.state.join(socket::RECORD)).ok()?;
        Some(PathBuf::from(OsString::from_vec(path)))
    }

    /// The daemon's own log.
    pub fn log(&self) -> PathBuf {
        self.state.join("goald.log")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goald_home_holds_everything_and_goald_socket_overrides_the_socket() {
        let places = Places::from(|name| (name == "GOALD_HOME").then(|| "/h".into())).expect("found");
        assert_eq!(places, Places::inside("/h".into()));
        assert_eq!(places.config, PathBuf::from("/h/config.toml"));
        let both = |name: &str| match name {
            "GOALD_HOME" => Some("/h".into()),
            "GOALD_SOCKET" => Some("/s".into()),
            _ => None,
        };
        assert_eq!(Places::from(both).expect("found").socket, PathBuf::from("/s"));
    }

    #[test]
    fn a_socket_that_is_named_must_fit_and_one_of_the_state_folder_need_not() {
        let long = format!("/{}", "x".repeat(socket::PATH_BYTES));
        let named = |path: &str| Places::from(|name| (name == "GOALD_SOCKET").then(|| path.into()));
        let error = named(&long).expect_err("refused").0;
        assert!(error.code == ErrorCode::BadConfig && error.message.contains("at most"), "{error:?}");
        assert_eq!(named(&long[1..]).expect_err("made absolute, it is longer still").0.code, ErrorCode::BadConfig);
        assert!(named(&long[..socket::PATH_BYTES]).is_ok());
        assert!(Places::from(|name| (name == "GOALD_HOME").then(|| long.clone().into())).is_ok());
    }

    #[test]
    fn a_relative_goald_home_is_refused() {
        let error = Places::from(|name| (name == "GOALD_HOME").then(|| "h".into())).expect_err("refused");
        assert_eq!(error.0.code, ErrorCode::BadConfig);
    }
}
