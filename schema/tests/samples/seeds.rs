//! The seeds of the fuzz targets, and what they found.

/// All of one target.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target);
    let seeds = std::fs::read_dir(folder).expect("the seeds").map(|seed| seed.expect("a seed").path());
    seeds.map(|seed| std::fs::read(seed).expect("readable")).collect()
}
