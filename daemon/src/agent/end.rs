//! How an attempt ended by itself: the agent's terminal event and the exit status together. No single sign of success is
//! believed.

use goald_schema::event::{Failure, FailureKind};

/// The end of an attempt that nobody cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Well.
    Completed {
        /// The agent's last words, where the terminal event carries them.
        text: Option<String>,
    },
    /// Badly.
    Failed(Failure),
}

/// How the program stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// With an exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

/// All that was seen of an attempt's end.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The exit status.
    pub stop: Stop,
    /// The last terminal event.
    pub terminal: Option<&'a End>,
    /// The end of standard error.
    pub stderr_tail: &'a str,
}

/// The rule for agents that announce their end: a failure they announce is one, whatever the exit status; a success
/// counts only with exit code 0; an exit without announcement is a crash.
pub fn from_event_and_exit(seen: &Seen<'_>) -> End {
    match (seen.terminal, seen.stop) {
        (Some(End::Failed(failure)), _) => End::Failed(failure.clone()),
        (Some(completed), Stop::Code(0)) => completed.clone(),
        (None, Stop::Code(0)) => crash("no end event: the agent stopped in the middle of its turn", seen.stderr_tail),
        (_, stop) => stopped_badly(stop, seen.stderr_tail),
    }
}

/// A program that ended with another exit code than 0, or by a signal.
pub(super) fn stopped_badly(stop: Stop, stderr_tail: &str) -> End {
    match stop {
        Stop::Code(code) => crash(&format!("exit code {code}"), stderr_tail),
        Stop::Signal(signal) => crash(&format!("ended by signal {signal}"), stderr_tail),
    }
}

fn crash(what: &str, stderr_tail: &str) -> End {
    let words = stderr_tail.trim();
    let message = if words.is_empty() { what.to_owned() } else { format!("{what}: {words}") };
    End::Failed(Failure { kind: FailureKind::Crash, message, status: None, retry_after_ms: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed() -> End {
        End::Completed { text: Some("done".to_owned()) }
    }

    fn overloaded() -> End {
        let message = "overloaded".to_owned();
        End::Failed(Failure { kind: FailureKind::Transient, message, status: Some(529), retry_after_ms: None })
    }

    fn end(terminal: Option<&End>, stop: Stop) -> End {
        from_event_and_exit(&Seen { stop, terminal, stderr_tail: "oh no\n" })
    }

    #[test]
    fn success_needs_both_the_event_and_exit_code_0() {
        assert_eq!(end(Some(&completed()), Stop::Code(0)), completed());
        for (terminal, stop, words) in [
            (None, Stop::Code(0), "no end event: the agent stopped in the middle of its turn: oh no"),
            (Some(completed()), Stop::Code(3), "exit code 3: oh no"),
            (Some(completed()), Stop::Signal(9), "ended by signal 9: oh no"),
            (None, Stop::Signal(11), "ended by signal 11: oh no"),
        ] {
            let End::Failed(failure) = end(terminal.as_ref(), stop) else { panic!("{terminal:?} {stop:?}") };
            assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Crash, words));
        }
    }

    #[test]
    fn an_announced_failure_keeps_its_kind_whatever_the_exit_status() {
        for stop in [Stop::Code(0), Stop::Code(1), Stop::Signal(9)] {
            assert_eq!(end(Some(&overloaded()), stop), overloaded());
        }
    }
}
