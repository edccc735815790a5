//! The rules of goald: `decide`, `evolve`, `next_step`. No I/O, no clock, no tokio.
