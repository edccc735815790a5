//! Named places at which a test kills this process: right there, without a word, as a power cut or `kill -9` would.
//!
//! Compiled only into the tests' build (feature `crash-points`); elsewhere [`at`] is nothing. Which place, and at which
//! passing, is said by `GOALD_CRASH_AT=NAME:N`.

/// Kills this process if the environment asks for it here.
#[cfg(feature = "crash-points")]
pub fn at(place: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    static WANTED: OnceLock<Option<(String, u32)>> = OnceLock::new();
    static PASSED: AtomicU32 = AtomicU32::new(0);

    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var("GOALD_CRASH_AT").ok()?;
        let (name, passing) = text.split_once(':')?;
        Some((name.to_owned(), passing.parse().ok()?))
    });
    if let Some((name, passing)) = wanted
        && name == place
        && PASSED.fetch_add(1, Ordering::Relaxed) + 1 == *passing
    {
        // Nothing may run after this: no destructor, no flush.
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL).ok();
        std::process::abort();
    }
}

/// Nothing, outside the tests' build.
#[cfg(not(feature = "crash-points"))]
#[inline]
pub const fn at(_place: &str) {}
