//! Who is on the other end: derived from the process, never declared (`docs/rules.md`, "Who is who").
//!
//! One function decides, [`Peer::found`], anew at each request. It is a guard-rail against over-eager agents, not a wall
//! against hostile code of the same user.

mod ancestry;
mod credentials;
mod look;
mod namespace;
mod origin;

pub use credentials::{Credentials, Holding};

use crate::process::adopted;
use crate::tokens::{Holder, Shown, Tokens};
use ancestry::Link;
use goald_schema::WireError;
use goald_schema::actor::{Actor, OtherWhy, Via};
use goald_schema::id::SessionId;
use look::System;
use origin::{Origin, Roots};
use std::os::fd::AsFd;

/// The process at the other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    credentials: Credentials,
}

/// Who asks, at this moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Who it is for the session that it asks.
    pub actor: Actor,
    /// The session whose attempt it belongs to, running or ended, where that can be told.
    pub belongs: Option<SessionId>,
}

impl Peer {
    /// Takes the peer's credentials. Another user is turned away.
    ///
    /// # Errors
    /// `foreign-user`; `internal` where the kernel does not say who it is.
    pub fn of(socket: &impl AsFd) -> Result<Self, WireError> {
        Ok(Self { credentials: Credentials::of(socket, Holding::Descriptor)? })
    }

    /// Who it is right now, for a request to `session`, by this door, with this token.
    pub fn found(&self, via: Via, token: Option<&str>, session: Option<SessionId>, tokens: &Tokens) -> Found {
        let origin = self.origin();
        let shown = token.map(|token| tokens.shown(token));
        let holder = origin.held_by.and_then(|guard| tokens.held_by(guard.pid, guard.start_ticks));
        let actor = match (&shown, origin.why) {
            (Some(shown), why) => by_token(shown, why, session, &origin, holder),
            (None, _) if via == Via::Mcp => other(OtherWhy::McpWithoutToken),
            (None, Some(why)) => other(why),
            (None, None) => Actor::Human,
        };
        let by_token = shown.and_then(|shown| match shown {
            Shown::Live(holder) | Shown::Ended(holder) => Some(holder.session),
            Shown::Unknown => None,
        });
        let by_marker = || origin.marker.and_then(|attempt| tokens.session_of(attempt));
        let belongs = by_token.or(holder.map(|holder| holder.session)).or_else(by_marker);
        Found { actor, belongs }
    }

    /// Where it comes from; the process must be there when that is known, too.
    fn origin(&self) -> Origin {
        let never = |why| Origin { why: Some(why), ..Origin::default() };
        let known = match &self.credentials {
            Credentials::Known(known) => known,
            Credentials::Exited => return never(OtherWhy::Exited),
            Credentials::Invisible => return never(OtherWhy::OtherNamespace),
        };
        let first = Link { pid: known.pid, start_ticks: known.start_ticks };
        let roots = Roots { own: std::process::id(), is_guard: &adopted::is_own, attached: &[] };
        let origin = origin::of(&System, first, roots);
        // Asked last: whatever was read of a process that is gone by now may have been another's.
        match (known.runs(), origin) {
            (false, _) => never(OtherWhy::Exited),
            (true, Some(origin)) => origin,
            (true, None) => never(OtherWhy::UnknownOrigin),
        }
    }
}

/// What a token gives: the rights of its own running attempt, to its own session, and not to whoever runs in another one.
fn by_token(
    shown: &Shown,
    why: Option<OtherWhy>,
    session: Option<SessionId>,
    origin: &Origin,
    holder: Option<Holder>,
) -> Actor {
    let Shown::Live(of) = shown else { return other(OtherWhy::DeadToken) };
    if session.is_some_and(|session| session != of.session) {
        return other(OtherWhy::OtherSession);
    }
    if let Some(why @ (OtherWhy::Exited | OtherWhy::UnknownOrigin)) = why {
        // Whoever speaks now is not who connected, or cannot be told: its attempt cannot be either.
        return other(why);
    }
    let runs_in_another = match (origin.held_by, origin.marker) {
        (Some(_), _) => holder.is_none_or(|holder| holder.attempt != of.attempt),
        (None, Some(marker)) => marker != of.attempt,
        (None, None) => false,
    };
    if runs_in_another { other(OtherWhy::ForeignToken) } else { Actor::Agent { attempt: of.attempt } }
}

const fn other(why: OtherWhy) -> Actor {
    Actor::Other { why }
}

/// Why this process itself must not become a daemon, if it must not: it was started from inside an agent or a check, with
/// whatever environment.
pub fn inside_an_agent() -> Option<OtherWhy> {
    let own = std::process::id();
    let start_ticks = crate::process::read(own)?.start_ticks;
    // Nobody's daemon is below one; no process has the number 0.
    let roots = Roots { own: 0, is_guard: &|_| false, attached: &[] };
    let origin = origin::of(&System, Link { pid: own, start_ticks }, roots)?;
    origin.why.filter(|why| matches!(why, OtherWhy::BelowDaemon | OtherWhy::AttemptMarker))
}

#[cfg(test)]
mod tests {
    use super::*;
    use goald_schema::id::AttemptId;
    use std::os::unix::net::UnixStream;
    use uuid::Uuid;

    fn holder(n: u128) -> Holder {
        Holder {
            session: SessionId::from_uuid(Uuid::from_u128(n)),
            attempt: AttemptId::from_uuid(Uuid::from_u128(n + 100)),
            guard: (u32::MAX, 1),
        }
    }

    fn live(n: u128) -> Shown {
        Shown::Live(holder(n))
    }

    fn why(actor: &Actor) -> Option<OtherWhy> {
        match actor {
            Actor::Other { why } => Some(*why),
            _ => None,
        }
    }

    #[test]
    fn a_token_gives_its_own_attempts_rights_and_nobody_elses() {
        let link = Link { pid: 7, start_ticks: 7 };
        let outside = Origin::default();
        let inside = Origin { held_by: Some(link), why: Some(OtherWhy::BelowDaemon), marker: None };
        let marked = |n: u128| Origin { marker: Some(holder(n).attempt), ..Origin::default() };
        let (one, two) = (holder(1), holder(2));
        let agent = Actor::Agent { attempt: one.attempt };
        assert_eq!(by_token(&live(1), None, Some(one.session), &outside, None), agent);
        assert_eq!(by_token(&live(1), inside.why, Some(one.session), &inside, Some(one)), agent);
        assert_eq!(by_token(&live(1), None, None, &marked(1), None), agent);
        let refused = |shown: &Shown, session: &Holder, origin: &Origin, holder| {
            why(&by_token(shown, origin.why, Some(session.session), origin, holder))
        };
        assert_eq!(refused(&live(1), &two, &outside, None), Some(OtherWhy::OtherSession));
        assert_eq!(refused(&live(1), &one, &inside, Some(two)), Some(OtherWhy::ForeignToken), "another attempt");
        assert_eq!(refused(&live(1), &one, &inside, None), Some(OtherWhy::ForeignToken), "a check");
        assert_eq!(refused(&live(1), &one, &marked(2), None), Some(OtherWhy::ForeignToken), "another daemon's attempt");
        assert_eq!(refused(&Shown::Ended(one), &one, &outside, None), Some(OtherWhy::DeadToken));
        assert_eq!(refused(&Shown::Unknown, &one, &outside, None), Some(OtherWhy::DeadToken));
        for gone in [OtherWhy::Exited, OtherWhy::UnknownOrigin] {
            let origin = Origin { why: Some(gone), ..Origin::default() };
            assert_eq!(refused(&live(1), &one, &origin, None), Some(gone));
        }
    }

    #[test]
    fn whoever_has_exited_or_cannot_be_seen_is_no_person() {
        for (credentials, expected) in
            [(Credentials::Exited, OtherWhy::Exited), (Credentials::Invisible, OtherWhy::OtherNamespace)]
        {
            let found = Peer { credentials }.found(Via::Cli, None, None, &Tokens::default());
            assert_eq!((why(&found.actor), found.belongs), (Some(expected), None));
        }
    }

    #[test]
    fn an_mcp_server_without_a_token_is_no_person_whoever_started_it() {
        let (near, _far) = UnixStream::pair().expect("a pair");
        let found = Peer::of(&near).expect("our own user").found(Via::Mcp, None, None, &Tokens::default());
        assert_eq!(why(&found.actor), Some(OtherWhy::McpWithoutToken));
    }
}
