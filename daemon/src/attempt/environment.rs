//! The environment of agents and checks: the caller's, without markers of other agents, with goald's own. Pure.

use goald_schema::id::AttemptId;
use goald_schema::number::Round;
use goald_schema::protocol::target::Environment;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What an attempt is told about itself.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Its id, the marker that all of its processes carry.
    pub attempt: AttemptId,
    /// Its token.
    pub token: String,
    /// Where the daemon listens.
    pub socket: PathBuf,
    /// The program `goal`.
    pub goal: PathBuf,
    /// The round; none in a message turn.
    pub round: Option<Round>,
    /// The agent's own session to continue.
    pub agent_session: Option<String>,
}

/// Variables by which agent programs recognise that they run inside another one. An agent that goald starts does not.
const FOREIGN_MARKERS: &[&str] =
    &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "OPENCODE"];

/// The whole environment of an attempt.
pub fn compose(caller: &Environment, inside: &Inside) -> BTreeMap<String, String> {
    let mut variables = scrubbed(caller);
    let mut set = |name: &str, value: String| variables.insert(name.to_owned(), value);
    set("GOALD_ATTEMPT", inside.attempt.to_string());
    set("GOALD_TOKEN", inside.token.clone());
    set("GOALD_SOCKET", inside.socket.to_string_lossy().into_owned());
    set("GOALD_BIN", inside.goal.to_string_lossy().into_owned());
    if let Some(round) = inside.round {
        set("GOALD_ROUND", round.to_string());
    }
    if let Some(session) = &inside.agent_session {
        set("GOALD_AGENT_SESSION", session.clone());
    }
    variables
}

/// The whole environment of a check: no token, and a marker that says it is none of a human's processes.
pub fn for_check(caller: &Environment) -> BTreeMap<String, String> {
    let mut variables = scrubbed(caller);
    variables.insert("GOALD_CHECK".to_owned(), "1".to_owned());
    variables
}

fn scrubbed(caller: &Environment) -> BTreeMap<String, String> {
    let foreign = |name: &str| name.starts_with("GOALD_") || FOREIGN_MARKERS.contains(&name);
    caller.0.iter().filter(|(name, _)| !foreign(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller() -> Environment {
        let pairs =
            [("PATH", "/bin"), ("API_KEY", "k"), ("GOALD_TOKEN", "stolen"), ("GOALD_HOME", "/x"), ("CLAUDECODE", "1")];
        Environment(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn an_agent_gets_the_callers_variables_its_own_marker_and_token_and_no_foreign_marker() {
        let inside = Inside {
            attempt: AttemptId::from_uuid(crate::fresh::uuid()),
            token: "t".to_owned(),
            socket: "/s".into(),
            goal: "/g".into(),
            round: Some(Round(3)),
            agent_session: None,
        };
        let variables = compose(&caller(), &inside);
        let names: Vec<&str> = variables.keys().map(String::as_str).collect();
        let expected = ["API_KEY", "GOALD_ATTEMPT", "GOALD_BIN", "GOALD_ROUND", "GOALD_SOCKET", "GOALD_TOKEN", "PATH"];
        assert_eq!(names, expected);
        assert_eq!(variables["GOALD_TOKEN"], "t");
    }

    #[test]
    fn a_check_gets_no_token_and_is_marked() {
        let variables = for_check(&caller());
        assert_eq!(variables.keys().collect::<Vec<_>>(), ["API_KEY", "GOALD_CHECK", "PATH"]);
    }
}
