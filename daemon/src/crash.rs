//! Named places at which a test kills this process: right there, without a word, as a power cut or `kill -9` would.
//!
//! Compiled only into the tests' build (feature `crash-points`); elsewhere [`at`] is nothing. With `GOALD_CRASH_TRACE=FILE`
//! every place is noted there when it is passed, by the daemon and its guards. `GOALD_CRASH_AT=NAME:N` kills whoever passes
//! NAME for the Nth time according to that file, and notes `NAME!`; with `GOALD_CRASH_WHOM=both` a guard takes its daemon
//! along.

macro_rules! places {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A place at which dying matters.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Place {
            $($(#[$doc])* $name,)*
        }

        #[cfg(feature = "crash-points")]
        impl Place {
            /// Every place.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Its name, as the environment gives it. Those in the guard begin with `guard-`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

places! {
    /// The state folder is locked against other starters.
    StartingLocked = "starting-locked",
    /// The state folder is this daemon's.
    Locked = "locked",
    /// The database file is there, and empty.
    DatabaseCreated = "database-created",
    /// The steps to the newest format are taken, not committed.
    MigrationTaken = "migration-taken",
    /// The database has the newest format.
    MigrationCommitted = "migration-committed",
    /// The socket is bound; other starters still wait.
    SocketBound = "socket-bound",
    /// An attempt without an end was found; what it left still runs.
    RecoveryBegun = "recovery-begun",
    /// What it left is ended; its end is not recorded.
    LeftoversEnded = "leftovers-ended",
    /// Its end is recorded.
    RecoveryRecorded = "recovery-recorded",
    /// A transaction is open.
    StoreBegun = "store-begun",
    /// Blobs are inserted, the events that name them are not.
    BlobsInserted = "blobs-inserted",
    /// Everything is inserted, not committed.
    RowsInserted = "rows-inserted",
    /// Committed; nobody knows it yet.
    CommittedUnanswered = "committed-unanswered",
    /// Committed pages are about to be moved into the database.
    CheckpointDue = "checkpoint-due",
    /// They are moved.
    CheckpointDone = "checkpoint-done",
    /// The log is closed.
    LogClosed = "log-closed",
    /// A session's events are durable; its state has not changed.
    AppendedNotFolded = "appended-not-folded",
    /// A running agent's prompt is fenced; it is not cancelled.
    Fenced = "fenced",
    /// It is cancelled; who asked for that has no answer.
    StopEnforced = "stop-enforced",
    /// A change is carried out; its answer is not written.
    AnswerUnwritten = "answer-unwritten",
    /// Its answer is written.
    AnswerWritten = "answer-written",
    /// A round's number is used up; nothing is started.
    RoundAdmitted = "round-admitted",
    /// A long objective is half on its way to its file.
    ObjectiveUnnamed = "objective-unnamed",
    /// It is in its file.
    ObjectiveLaid = "objective-laid",
    /// A guard waits at its gate; the attempt is not recorded.
    SpawnedUnrecorded = "spawned-unrecorded",
    /// The attempt is recorded; the gate is closed.
    StartedGateClosed = "started-gate-closed",
    /// The gate is open.
    GateOpened = "gate-opened",
    /// The same for a turn of messages.
    MessagesHanded = "messages-handed",
    /// An attempt's output file is there, and empty.
    OutputCreated = "output-created",
    /// Some output is stored.
    OutputStored = "output-stored",
    /// An attempt is over; that is not recorded.
    EndUnrecorded = "end-unrecorded",
    /// It is recorded.
    EndRecorded = "end-recorded",
    /// A check's guard is about to start.
    CheckBegun = "check-begun",
    /// A check runs.
    CheckRunning = "check-running",
    /// Checks are done; their verdict is not recorded.
    VerdictUnrecorded = "verdict-unrecorded",
    /// It is recorded.
    VerdictRecorded = "verdict-recorded",
    /// Everything is fenced; who stops the daemon has no answer.
    StopFenced = "stop-fenced",
    /// The answer is out; agents are still being ended.
    StopAnswered = "stop-answered",
    /// Nothing runs; socket and lock are still there.
    StopQuiet = "stop-quiet",
    /// In the guard: it has its launch, and has not said so.
    GuardLaunched = "guard-launched",
    /// In the guard: the gate is open, nothing is started.
    GuardGateOpen = "guard-gate-open",
    /// In the guard: the program runs, its prompt is not written.
    GuardStarted = "guard-started",
    /// In the guard: the prompt is taken back; the daemon does not know it.
    GuardFenced = "guard-fenced",
    /// In the guard: the program is about to be interrupted.
    GuardLadder = "guard-ladder",
    /// In the guard: the program ended; what it left runs.
    GuardReaped = "guard-reaped",
    /// In the guard: what the program left has had its signal.
    GuardLeftoversKilled = "guard-leftovers-killed",
    /// In the guard: nothing is left; the daemon does not know it.
    GuardEnd = "guard-end",
}

/// Kills this process if the environment asks for it here.
#[cfg(feature = "crash-points")]
pub fn at(place: Place) {
    probe::at(place);
}

/// Nothing, outside the tests' build.
#[cfg(not(feature = "crash-points"))]
#[inline]
pub const fn at(_place: Place) {}

/// Hands what a guard is to know of this to one that is about to start: it inherits nothing else.
#[cfg(feature = "crash-points")]
pub fn hand_to_guard(command: &mut tokio::process::Command) {
    probe::hand_to_guard(command);
}

/// Nothing, outside the tests' build.
#[cfg(not(feature = "crash-points"))]
pub const fn hand_to_guard(_command: &mut tokio::process::Command) {}

/// Lets a test hold a commit of these events.
#[cfg(feature = "crash-points")]
pub use gate::before_commit;

/// Nothing, outside the tests' build.
#[cfg(not(feature = "crash-points"))]
#[inline]
pub fn before_commit<'a>(_events: impl Iterator<Item = &'a goald_schema::event::Event>) {}

#[cfg(feature = "crash-points")]
mod gate;

#[cfg(feature = "crash-points")]
mod probe {
    use super::Place;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::{Pid, getpid, getppid};
    use std::io::{self, Write};
    use std::path::Path;

    const AT: &str = "GOALD_CRASH_AT";
    const TRACE: &str = "GOALD_CRASH_TRACE";
    const WHOM: &str = "GOALD_CRASH_WHOM";
    /// The daemon that a guard takes along, by its process id.
    const DAEMON: &str = "GOALD_CRASH_DAEMON";

    pub fn at(place: Place) {
        let Some(trace) = std::env::var_os(TRACE) else { return };
        // A place that cannot be noted is missed by the test that looks for it.
        if passed(Path::new(&trace), place).unwrap_or(false) {
            die();
        }
    }

    /// Notes the place; whether this is the passing that is wanted. Only one process dies, however many come by.
    fn passed(trace: &Path, place: Place) -> io::Result<bool> {
        let mut noted = std::fs::OpenOptions::new().append(true).create(true).open(trace)?;
        let name = place.name();
        // One write, so that lines of several processes do not mix.
        noted.write_all(format!("{name}\n").as_bytes())?;
        let wanted = std::env::var(AT).ok();
        let wanted = wanted.as_deref().and_then(|wanted| wanted.split_once(':')).filter(|(at, _)| *at == name);
        let Some(passing) = wanted.and_then(|(_, passing)| passing.parse::<usize>().ok()) else { return Ok(false) };
        let so_far = std::fs::read_to_string(trace)?;
        let dead = format!("{name}!");
        let often = so_far.lines().filter(|line| *line == name).count() >= passing;
        let this_one = often && so_far.lines().all(|line| line != dead);
        if this_one {
            noted.write_all(format!("{dead}\n").as_bytes())?;
        }
        Ok(this_one)
    }

    fn die() -> ! {
        let daemon = std::env::var(DAEMON).ok().and_then(|pid| pid.parse().ok()).map(Pid::from_raw);
        if let Some(daemon) = daemon.filter(|daemon| *daemon == getppid()) {
            kill(daemon, Signal::SIGKILL).ok();
        }
        // Nothing may run after this: no destructor, no flush.
        kill(getpid(), Signal::SIGKILL).ok();
        std::process::abort();
    }

    pub fn hand_to_guard(command: &mut tokio::process::Command) {
        for name in [AT, TRACE] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if std::env::var(WHOM).is_ok_and(|whom| whom == "both") {
            command.env(DAEMON, std::process::id().to_string());
        }
    }
}
