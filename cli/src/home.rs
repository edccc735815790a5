//! Where things are: `GOALD_HOME`, else the XDG folders. The only place that looks these variables up.

use crate::error::CliError;
use etcetera::BaseStrategy;
use goald_schema::ErrorCode;
use std::ffi::OsString;
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
    /// The socket.
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
            socket: home.join("goald.sock"),
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
            Self { root: None, config, socket: state.join("goald.sock"), state }
        };
        if let Some(socket) = variable("GOALD_SOCKET") {
            // The daemon works in another folder than whoever starts it.
            places.socket = std::path::absolute(&socket).map_err(|error| bad(format!("GOALD_SOCKET: {error}")))?;
        }
        Ok(places)
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
    fn a_relative_goald_home_is_refused() {
        let error = Places::from(|name| (name == "GOALD_HOME").then(|| "h".into())).expect_err("refused");
        assert_eq!(error.0.code, ErrorCode::BadConfig);
    }
}
