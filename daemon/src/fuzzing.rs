//! What must hold of the daemon whatever is given to it: asked by the fuzz targets in `fuzz/` and by ordinary tests.
//!
//! Only compiled for tests and with the feature `fuzzing`, which nothing of goald itself turns on. Each check stands beside
//! what it is about; here they can be reached.

pub use crate::attempt::fuzzing::agent_lines;
pub use crate::config::fuzzing::config;
pub use crate::server::fuzzing::socket_frame;

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Holds one check against the seeds of its target, which what was found has joined.
    fn seeds(target: &str, check: fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target);
        let seeds = std::fs::read_dir(&folder).expect("the seeds").map(|seed| seed.expect("a seed").path());
        let held = seeds.map(|seed| check(&std::fs::read(seed).expect("readable"))).count();
        assert!(held > 2, "{} has {held} seeds", folder.display());
    }

    #[test]
    fn the_seeds_of_every_target_and_what_it_found_hold() {
        seeds("agent_lines", agent_lines);
        seeds("config", config);
        seeds("socket_frame", socket_frame);
    }
}
