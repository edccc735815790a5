//! How a tree ended, as the guard saw it.

use goald_schema::event::Delivered;
use serde::{Deserialize, Serialize};

/// The end of a tree: nothing of it is left.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ended {
    /// How the program itself ended.
    pub status: EndStatus,
    /// Whether its standard input reached it.
    pub delivered: Delivered,
    /// How many processes were still there after the program's own end, and were killed.
    pub leftovers: u32,
}

impl Ended {
    /// The guard is gone without a word: nobody saw the end.
    pub(super) const LOST: Self = Self { status: EndStatus::GuardLost, delivered: Delivered::Unknown, leftovers: 0 };
}

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum EndStatus {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It was never started.
    SpawnFailed(SpawnFailure),
    /// The guard died first, and its program with it; what that left was ended by the daemon.
    GuardLost,
}

/// Why a program was not started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpawnFailure {
    /// What was missing.
    pub kind: SpawnFailureKind,
    /// The system's words, with the path they are about.
    pub message: String,
}

/// What was missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SpawnFailureKind {
    /// The program: absent, not executable, refused.
    Program,
    /// The folder to start in.
    Folder,
}
