//! What `goal doctor` found: one finding a check, in the order of [`Area`]. Not part of the socket protocol: the doctor
//! reads the files itself, so that it also works where no daemon can.

use crate::id::SessionId;
use crate::number::Position;
use crate::recovery::Recovery;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Everything that was found. Names, ids and positions only: no text of a goal, prompt or message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoctorReport {
    /// The version of the program that looked.
    pub version: String,
    /// The state folder.
    pub state: String,
    /// Whether a daemon has the state folder.
    pub daemon: DaemonSeen,
    /// Whether no finding is a problem.
    pub sound: bool,
    /// The findings, by area.
    pub findings: Vec<Finding>,
}

impl DoctorReport {
    /// From findings in any order; within an area they stay in theirs.
    pub fn new(version: String, state: String, daemon: DaemonSeen, mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| finding.area);
        let sound = findings.iter().all(|finding| finding.level != Level::Problem);
        Self { version, state, daemon, sound, findings }
    }
}

/// What `goal doctor --recover` did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recovered {
    /// The new file.
    pub file: String,
    /// What puts the file in place, command by command.
    pub next: Vec<String>,
    /// What is in it, and what is not.
    pub recovery: Recovery,
}

/// What the lock of the state folder says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DaemonSeen {
    /// A daemon holds it.
    Runs,
    /// Nobody does.
    Absent,
}

/// What one check found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Finding {
    /// What was looked at.
    pub area: Area,
    /// How it is.
    pub level: Level,
    /// For programs: which problem or note it is; absent exactly where all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<FindingCode>,
    /// What was found.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The session that it concerns, if one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Where in the log, if at one place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

impl Finding {
    /// All is well.
    pub fn ok(area: Area, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { area, level: Level::Ok, code: None, message, hint: None, session: None, position: None }
    }

    /// Something worth knowing that is no fault.
    pub fn note(area: Area, code: FindingCode, message: impl Into<String>) -> Self {
        Self { level: Level::Note, code: Some(code), ..Self::ok(area, message) }
    }

    /// Something is wrong.
    pub fn problem(area: Area, code: FindingCode, message: impl Into<String>) -> Self {
        Self { level: Level::Problem, code: Some(code), ..Self::ok(area, message) }
    }

    /// With what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With where it is.
    #[must_use]
    pub fn at(mut self, session: Option<SessionId>, position: Option<Position>) -> Self {
        self.session = session;
        self.position = position;
        self
    }
}

/// How something is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing, and no fault.
    Note,
    /// Wrong.
    Problem,
}

/// What is looked at, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Area {
    /// What the system enforces.
    Platform,
    /// Folders, files, modes, room, configuration.
    Places,
    /// The daemon.
    Daemon,
    /// The database as a whole.
    Log,
    /// Each session's chain and history.
    Sessions,
    /// Stored texts and output files.
    Evidence,
    /// The agents' programs.
    Agents,
}

impl Area {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Platform => "platform",
            Self::Places => "places",
            Self::Daemon => "daemon",
            Self::Log => "log",
            Self::Sessions => "sessions",
            Self::Evidence => "evidence",
            Self::Agents => "agents",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident => $text:literal;)*) => {
        /// Which problem or note a finding is. Programs match on it; words may change.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
        pub enum FindingCode {
            $($(#[$doc])* #[serde(rename = $text)] $variant,)*
        }

        impl FindingCode {
            /// Every one, in the order of `docs/codes.md`.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The text.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

codes! {
    /// The system does not enforce something.
    NotEnforced => "not-enforced";
    /// There is no state folder yet.
    NothingYet => "nothing-yet";
    /// The state folder is no folder.
    NotAFolder => "not-a-folder";
    /// A file or folder cannot be looked at.
    Unreadable => "unreadable";
    /// The state folder cannot be written to.
    NotWritable => "not-writable";
    /// A file or folder is open to other users.
    OpenToOthers => "open-to-others";
    /// A file or folder belongs to another user.
    ForeignOwner => "foreign-owner";
    /// Something lies there that an interrupted write left.
    LeftoverFile => "leftover-file";
    /// Little room is left.
    LowSpace => "low-space";
    /// The state folder is on a file system where the log is not safe.
    NetworkFolder => "network-folder";
    /// The configuration cannot be used.
    ConfigUnusable => "config-unusable";
    /// A daemon has the state folder but does not answer.
    DaemonSilent => "daemon-silent";
    /// The daemon that runs is of another version.
    DaemonVersion => "daemon-version";
    /// A daemon answers that is not this state folder's.
    DaemonElsewhere => "daemon-elsewhere";
    /// The daemon that runs has seen damage and takes no changes.
    DaemonRefuses => "daemon-refuses";
    /// There are traces of a log, but it is gone.
    LogMissing => "log-missing";
    /// The log cannot be opened.
    LogUnusable => "log-unusable";
    /// A newer goald wrote the log.
    LogNewer => "log-newer";
    /// An older goald wrote the log.
    LogOlder => "log-older";
    /// A table, index or trigger is missing, changed or foreign.
    LogStructure => "log-structure";
    /// A page, index or row of the database is damaged.
    LogPages => "log-pages";
    /// Acknowledged events are missing at the end.
    LogCut => "log-cut";
    /// A recovery wrote the log: what it could not read is missing.
    LogRecovered => "log-recovered";
    /// Events are missing in between.
    LogGap => "log-gap";
    /// A session's chain or history does not hold.
    SessionDamaged => "session-damaged";
    /// A text that is needed is gone.
    TextMissing => "text-missing";
    /// A stored text is not what was written.
    TextDamaged => "text-damaged";
    /// Texts of finished goals are gone.
    TextsGone => "texts-gone";
    /// Output files of attempts are gone.
    OutputGone => "output-gone";
    /// Output files that no attempt of the log has written.
    OutputUnknown => "output-unknown";
    /// An output file is larger than the configuration allows.
    OutputTooLarge => "output-too-large";
    /// An agent's program cannot be run.
    AgentMissing => "agent-missing";
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
