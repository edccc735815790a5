//! Exit codes of `goal`: a published interface, listed in the README.

/// How a `goal` process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Done; for `run` and `wait`: complete.
    Done = 0,
    /// Failed: the daemon, the store or the system could not do it.
    Failed = 1,
    /// Wrong usage: flags, arguments, a malformed value.
    Usage = 2,
    /// `run`, `wait`: the goal is blocked.
    Blocked = 3,
    /// `run`, `wait`: the goal is paused, was cleared, or needs a resume.
    Stopped = 4,
    /// Refused: stale, not allowed in this phase, a refused claim.
    Refused = 5,
    /// Not permitted to whoever asked.
    NotPermitted = 6,
    /// The daemon cannot be reached.
    Unreachable = 7,
    /// No such goal or session.
    NotFound = 8,
    /// Timed out.
    TimedOut = 124,
    /// Whoever read the output went away, as if by SIGPIPE. Says nothing about a goal.
    BrokenPipe = 141,
}

impl Exit {
    /// The number.
    pub const fn code(self) -> u8 {
        self as u8
    }
}
