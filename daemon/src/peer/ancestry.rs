//! The chain of a process's ancestors, read so that it is known to have been true at one moment.
//!
//! Parents end and numbers are given away while `/proc` is read. So every link is a number with its start time, no parent may
//! be younger than its child, and the whole chain is read again after it was judged: only one that stayed the same counts.

use super::look::Look;

/// No chain of ancestors is longer than this.
const MAX_LINKS: usize = 256;
/// How often a chain that keeps changing is read anew before it is given up.
const TRIES: u32 = 8;

/// One process of this boot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Its number.
    pub pid: u32,
    /// Its start time, in clock ticks since boot.
    pub start_ticks: u64,
}

/// Judges the chain from a process up to the first one, the process itself first. `None` where there is no chain that
/// holds: it is gone, is another one by now, or its ancestors kept changing.
pub fn judged<T>(look: &impl Look, first: Link, judge: impl Fn(&[Link]) -> T) -> Option<T> {
    for _ in 0..TRIES {
        let Some(chain) = read(look, first.pid) else { continue };
        if chain.first() != Some(&first) {
            return None;
        }
        let judgement = judge(&chain);
        if read(look, first.pid).as_ref() == Some(&chain) {
            return Some(judgement);
        }
    }
    None
}

/// One reading; `None` if it does not hold together.
fn read(look: &impl Look, first: u32) -> Option<Vec<Link>> {
    let mut chain: Vec<Link> = Vec::new();
    let mut pid = first;
    while chain.len() < MAX_LINKS {
        let stat = look.stat(pid)?;
        // An ancestor is older than its descendants: one that is younger has the number of a parent that is gone.
        if chain.last().is_some_and(|child| child.start_ticks < stat.start_ticks) {
            return None;
        }
        chain.push(Link { pid, start_ticks: stat.start_ticks });
        match stat.parent {
            0 => return Some(chain),
            parent => pid = parent,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::look::tests::{Scene, link};
    use super::*;

    fn pids(scene: &Scene, first: Link) -> Option<Vec<u32>> {
        judged(scene, first, |chain| chain.iter().map(|link| link.pid).collect())
    }

    #[test]
    fn a_chain_goes_from_the_process_to_the_first_one() {
        let scene = Scene::of(&[(1, 0, 0), (5, 1, 10), (9, 5, 20)]);
        assert_eq!(pids(&scene, link(9, 20)), Some(vec![9, 5, 1]));
    }

    #[test]
    fn another_process_with_the_same_number_is_not_judged() {
        let scene = Scene::of(&[(1, 0, 0), (9, 1, 30)]);
        assert_eq!(pids(&scene, link(9, 20)), None);
    }

    #[test]
    fn a_parent_that_is_younger_than_its_child_is_somebody_else() {
        let scene = Scene::of(&[(1, 0, 0), (5, 1, 99), (9, 5, 20)]);
        assert_eq!(pids(&scene, link(9, 20)), None);
    }

    #[test]
    fn a_parent_that_ends_meanwhile_makes_the_chain_be_read_anew() {
        let scene = Scene::of(&[(1, 0, 0), (5, 1, 10), (9, 5, 20)]);
        // At the fourth look, the second reading begins: the parent has ended, and its child has another.
        scene.at(4, |scene| {
            scene.remove(5);
            scene.set(9, 1, 20);
        });
        assert_eq!(pids(&scene, link(9, 20)), Some(vec![9, 1]));
    }

    #[test]
    fn a_chain_that_never_stays_the_same_is_given_up() {
        let scene = Scene::of(&[(1, 0, 0), (5, 1, 10), (6, 1, 11), (9, 5, 20)]);
        for look in 0..400 {
            scene.at(look, move |scene| scene.set(9, if look % 2 == 0 { 5 } else { 6 }, 20));
        }
        assert_eq!(pids(&scene, link(9, 20)), None);
    }

    #[test]
    fn a_chain_without_end_is_given_up() {
        let scene = Scene::of(&[(5, 6, 10), (6, 5, 10)]);
        assert_eq!(pids(&scene, link(5, 10)), None);
    }
}
