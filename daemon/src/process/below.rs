//! Who descends from whom, in one look at all processes.

use super::stat::Stat;
use std::collections::HashMap;

/// Those that have a root among their ancestors, dead ones too. Nobody counts as below another root by way of this
/// process: what it started is its own.
pub fn below(all: &[Stat], is_root: impl Fn(&Stat) -> bool) -> Vec<Stat> {
    let by_pid: HashMap<u32, &Stat> = all.iter().map(|stat| (stat.pid, stat)).collect();
    let us = std::process::id();
    let is_below = |stat: &&Stat| {
        let mut at = stat.parent;
        // Parents change while `/proc` is read, so a chain could even close on itself: bounded by the number there is.
        for _ in 0..all.len() {
            let Some(parent) = by_pid.get(&at) else { return false };
            if is_root(parent) {
                return true;
            }
            if parent.pid == us {
                return false;
            }
            at = parent.parent;
        }
        false
    };
    all.iter().filter(is_below).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::State;

    fn stat(pid: u32, parent: u32) -> Stat {
        Stat { pid, parent, start_ticks: u64::from(pid), state: State::Alive }
    }

    #[test]
    fn descendants_of_any_depth_are_found_and_neither_the_root_nor_others() {
        let all = [stat(10, 1), stat(11, 10), stat(12, 11), stat(20, 1), stat(21, 20)];
        let found: Vec<u32> = below(&all, |stat| stat.pid == 10).iter().map(|stat| stat.pid).collect();
        assert_eq!(found, [11, 12]);
    }

    #[test]
    fn a_chain_that_closes_on_itself_ends() {
        assert_eq!(below(&[stat(30, 31), stat(31, 30)], |stat| stat.pid == 1), []);
    }

    #[test]
    fn what_this_process_started_is_not_below_whoever_started_this_process() {
        let us = std::process::id();
        let all = [stat(1, 0), stat(us, 1), stat(u32::MAX, us)];
        let found: Vec<u32> = below(&all, |stat| stat.pid == 1).iter().map(|stat| stat.pid).collect();
        assert_eq!(found, [us]);
        assert_eq!(below(&all, |stat| stat.pid == us).len(), 1);
    }
}
