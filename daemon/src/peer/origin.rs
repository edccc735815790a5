//! Where a process comes from, as far as that makes it no person's: judged by its ancestors and its namespace.

use super::ancestry::{self, Link};
use super::look::Look;
use super::namespace::{self, Namespace};
use goald_schema::actor::OtherWhy;
use goald_schema::id::AttemptId;

/// The variable that every process of a check carries.
pub use crate::process::leftover::CHECK_MARKER;
/// The variable that every process of an attempt carries.
pub use crate::process::leftover::MARKER as ATTEMPT_MARKER;

/// The arguments of a guard, of this daemon or of another, as the kernel shows them.
const GUARD_ARGUMENTS: &[u8] = b"goal\0guard\0";

/// Processes below which nobody is a person.
#[derive(Clone, Copy)]
pub struct Roots<'a> {
    /// The daemon.
    pub own: u32,
    /// Whether the daemon started this child: a guard. Any other child of its own is what a lost guard left.
    pub is_guard: &'a dyn Fn(u32) -> bool,
    /// Agents of attached sessions, which are not the daemon's children. Here is where their registration will come in;
    /// until sessions can be attached there are none.
    pub attached: &'a [Link],
}

/// Where a process comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Why it is no person's; `None` if nothing says so.
    pub why: Option<OtherWhy>,
    /// The daemon's child that it is below.
    pub held_by: Option<Link>,
    /// The attempt that its environment, or an ancestor's, names.
    pub marker: Option<AttemptId>,
}

/// Where this process comes from; `None` where it could not be told.
pub fn of(look: &impl Look, first: Link, roots: Roots<'_>) -> Option<Origin> {
    ancestry::judged(look, first, |chain| {
        let mut origin = by_ancestors(look, chain, roots);
        if origin.why.is_none() && namespace::of(look, first.pid, roots.own) == Namespace::Other {
            origin.why = Some(OtherWhy::OtherNamespace);
        }
        origin
    })
}

fn by_ancestors(look: &impl Look, chain: &[Link], roots: Roots<'_>) -> Origin {
    let mut origin = Origin::default();
    let mut child: Option<Link> = None;
    for link in chain {
        let mark = mark(look, link.pid);
        let why = if link.pid == roots.own {
            origin.held_by = child;
            let is_left = child.is_some_and(|child| !(roots.is_guard)(child.pid));
            Some(if is_left { OtherWhy::Leftover } else { OtherWhy::BelowDaemon })
        } else if roots.attached.contains(link) {
            Some(OtherWhy::BelowAttached)
        } else if look.arguments(link.pid).is_some_and(|arguments| arguments == GUARD_ARGUMENTS) {
            Some(OtherWhy::BelowDaemon)
        } else if mark.is_some() {
            Some(OtherWhy::AttemptMarker)
        } else {
            None
        };
        origin.why = origin.why.or(why);
        if link.pid == roots.own {
            // Whoever started the daemon is not who is asking.
            break;
        }
        if let Some(Mark::Attempt(attempt)) = mark {
            origin.marker = origin.marker.or(Some(attempt));
        }
        child = Some(*link);
    }
    origin
}

/// What the environment of a process says.
enum Mark {
    /// It belongs to this attempt.
    Attempt(AttemptId),
    /// It belongs to a check, or to something that calls itself an attempt.
    Other,
}

/// The mark that a process was started with. An environment that may not be read belongs to another user (a terminal, a
/// session manager), and such a process is none of an attempt's.
fn mark(look: &impl Look, pid: u32) -> Option<Mark> {
    let environment = look.environment(pid)?;
    let value = |name: &str| {
        environment
            .split(|byte| *byte == 0)
            .find_map(|variable| variable.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
    };
    let attempt = value(ATTEMPT_MARKER).map(|value| {
        let id = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
        id.map_or(Mark::Other, Mark::Attempt)
    });
    attempt.or_else(|| value(CHECK_MARKER).map(|_| Mark::Other))
}

#[cfg(test)]
mod tests {
    use super::super::look::tests::{Scene, link};
    use super::*;

    const DAEMON: u32 = 100;
    const ATTEMPT: &str = "00000000-0000-7000-8000-000000000001";

    /// init 1, session 2 and its shell 3; the daemon 100 with a guard 110 and its agent 111; the asker is 200.
    fn scene(parent: u32) -> Scene {
        Scene::of(&[(1, 0, 0), (2, 1, 1), (3, 2, 2), (DAEMON, 1, 5), (110, DAEMON, 6), (111, 110, 7), (200, parent, 9)])
    }

    fn origin(scene: &Scene) -> Option<Origin> {
        let roots = Roots { own: DAEMON, is_guard: &|pid| pid == 110, attached: &[link(2, 1)] };
        of(scene, link(200, 9), roots)
    }

    fn why(scene: &Scene) -> Option<OtherWhy> {
        origin(scene).expect("a chain").why
    }

    #[test]
    fn nothing_above_it_says_that_it_is_no_persons() {
        assert_eq!(why(&scene(1)), None);
    }

    #[test]
    fn below_the_daemon_it_is_its_guards_or_what_a_lost_one_left() {
        let held = origin(&scene(111)).expect("a chain");
        assert_eq!((held.why, held.held_by), (Some(OtherWhy::BelowDaemon), Some(link(110, 6))));
        let left = origin(&scene(DAEMON)).expect("a chain");
        assert_eq!((left.why, left.held_by), (Some(OtherWhy::Leftover), Some(link(200, 9))));
    }

    #[test]
    fn below_an_attached_agent() {
        assert_eq!(why(&scene(3)), Some(OtherWhy::BelowAttached));
    }

    #[test]
    fn below_a_guard_whose_daemon_is_gone_or_another() {
        let scene = scene(111).with_arguments(110, "goal\0guard\0");
        scene.set(110, 1, 6);
        assert_eq!(why(&scene), Some(OtherWhy::BelowDaemon));
        scene.remove(110);
        scene.set(111, 1, 7);
        assert_eq!(why(&scene), None, "with the guard the knowledge is gone: the subreaper is there for that");
    }

    #[test]
    fn a_marker_in_any_ancestor_names_the_attempt() {
        let marked =
            origin(&scene(3).with_environment(3, &format!("A=1\0GOALD_ATTEMPT={ATTEMPT}\0"))).expect("a chain");
        assert_eq!(marked.why, Some(OtherWhy::AttemptMarker));
        assert_eq!(marked.marker.map(|id| id.to_string()).as_deref(), Some(ATTEMPT));
        let check = origin(&scene(1).with_environment(200, "GOALD_CHECK=1\0")).expect("a chain");
        assert_eq!((check.why, check.marker), (Some(OtherWhy::AttemptMarker), None));
        let other = scene(1).with_environment(200, "NOT_GOALD_ATTEMPT=1\0GOALD_ATTEMPTS=1\0");
        assert_eq!(why(&other), None);
    }

    #[test]
    fn in_another_or_a_hidden_namespace() {
        assert_eq!(why(&scene(1).with_namespace(200, Some("pid:[2]"))), Some(OtherWhy::OtherNamespace));
        assert_eq!(why(&scene(1).with_namespace(200, None)), Some(OtherWhy::OtherNamespace));
    }

    #[test]
    fn gone_before_or_while_it_is_judged() {
        let gone = scene(1);
        gone.remove(200);
        assert_eq!(origin(&gone), None);
        let leaves = scene(1);
        // The first reading takes two looks; at the next it is gone.
        leaves.at(3, |scene| scene.remove(200));
        assert_eq!(origin(&leaves), None);
    }

    #[test]
    fn one_that_is_reparented_while_it_is_judged_is_judged_by_its_new_ancestors() {
        let moved = scene(1);
        moved.at(2, |scene| scene.set(200, 111, 9));
        assert_eq!(why(&moved), Some(OtherWhy::BelowDaemon));
    }
}
