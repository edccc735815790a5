//! The environment of agents and checks, made from that of whoever created or resumed. Pure: nothing is read from this
//! process's own, and nothing is written down.

use crate::process::leftover::Mark;
use goald_schema::id::AttemptId;
use goald_schema::number::Round;
use std::collections::BTreeMap;
use std::path::Path;

/// An environment in memory.
pub type Environment = BTreeMap<String, String>;

/// Says that a program runs inside an agent. An agent that goald starts must not take itself for a nested one, nor
/// inherit the sandbox state of the agent from whose shell a person typed `goal`. Keys and settings stay.
const AGENT_MARKERS: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CODEX_INTERNAL_ORIGINATOR_OVERRIDE",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
];

/// What an attempt's environment says of it.
#[derive(Clone, Copy)]
pub struct Attempt<'a> {
    /// Its id, also the marker by which what it leaves is found again.
    pub attempt: AttemptId,
    /// The secret that gives its rights.
    pub token: &'a str,
    /// Where the daemon listens.
    pub socket: &'a Path,
    /// The program `goal`, for agents that report with it.
    pub goal: &'a Path,
    /// The round; none for a message turn.
    pub round: Option<Round>,
    /// The agent's own session that is to be resumed.
    pub agent_session: Option<&'a str>,
}

/// Without what belongs to another agent or another goald.
pub fn scrubbed(caller: &Environment) -> Environment {
    let foreign = |name: &str| name.starts_with("GOALD_") || AGENT_MARKERS.contains(&name);
    caller.iter().filter(|(name, _)| !foreign(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The whole environment of an agent.
pub fn of_attempt(caller: &Environment, attempt: Attempt<'_>) -> Environment {
    let mut environment = scrubbed(caller);
    let mut set = |name: &str, value: String| environment.insert(name.to_owned(), value);
    let mark = Mark::Attempt(attempt.attempt);
    set(mark.name(), mark.value());
    set("GOALD_TOKEN", attempt.token.to_owned());
    set("GOALD_SOCKET", attempt.socket.to_string_lossy().into_owned());
    set("GOALD_BIN", attempt.goal.to_string_lossy().into_owned());
    if let Some(round) = attempt.round {
        set("GOALD_ROUND", round.to_string());
    }
    if let Some(session) = attempt.agent_session {
        set("GOALD_AGENT_SESSION", session.to_owned());
    }
    environment
}

/// The whole environment of a check with this mark: no token, so that nothing it runs has an agent's rights.
pub fn of_check(caller: &Environment, mark: Mark) -> Environment {
    let mut environment = scrubbed(caller);
    environment.insert(mark.name().to_owned(), mark.value());
    environment
}

#[cfg(test)]
mod tests {
    use super::*;
    use goald_schema::id::SessionId;
    use uuid::Uuid;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn attempt(round: Option<Round>, agent_session: Option<&str>) -> Attempt<'_> {
        let attempt = AttemptId::from_uuid(Uuid::nil());
        Attempt { attempt, token: "t", socket: Path::new("/s"), goal: Path::new("/g"), round, agent_session }
    }

    #[test]
    fn an_attempt_gets_the_callers_variables_and_its_own_marks_and_nobody_elses() {
        let caller = environment(&[
            ("PATH", "/bin"),
            ("ANTHROPIC_API_KEY", "k"),
            ("CLAUDE_CODE_OAUTH_TOKEN", "o"),
            ("CODEX_HOME", "/c"),
            ("CLAUDECODE", "1"),
            ("CODEX_SANDBOX", "seatbelt"),
            ("GOALD_TOKEN", "stolen"),
            ("GOALD_ROUND", "9"),
            ("GOALD_AGENT_SESSION", "old"),
        ]);
        let expected = environment(&[
            ("PATH", "/bin"),
            ("ANTHROPIC_API_KEY", "k"),
            ("CLAUDE_CODE_OAUTH_TOKEN", "o"),
            ("CODEX_HOME", "/c"),
            ("GOALD_ATTEMPT", "00000000-0000-0000-0000-000000000000"),
            ("GOALD_TOKEN", "t"),
            ("GOALD_SOCKET", "/s"),
            ("GOALD_BIN", "/g"),
        ]);
        assert_eq!(of_attempt(&caller, attempt(None, None)), expected);
    }

    #[test]
    fn a_round_and_a_session_to_resume_are_told() {
        let set = of_attempt(&Environment::new(), attempt(Some(Round(3)), Some("s1")));
        assert_eq!(set.get("GOALD_ROUND").map(String::as_str), Some("3"));
        assert_eq!(set.get("GOALD_AGENT_SESSION").map(String::as_str), Some("s1"));
    }

    #[test]
    fn a_check_gets_no_token() {
        let caller = environment(&[("PATH", "/bin"), ("GOALD_TOKEN", "t"), ("GOALD_SOCKET", "/s")]);
        let mark = Mark::Check(SessionId::from_uuid(Uuid::nil()), AttemptId::from_uuid(Uuid::max()));
        let marked = "00000000-0000-0000-0000-000000000000/ffffffff-ffff-ffff-ffff-ffffffffffff";
        assert_eq!(of_check(&caller, mark), environment(&[("PATH", "/bin"), ("GOALD_CHECK", marked)]));
    }
}
