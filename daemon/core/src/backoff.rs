//! Delays between attempts: exponential, with jitter, bounded.

/// No delay is longer than this, unless the agent's server asks for more.
pub const MAX_DELAY_MS: u64 = 5 * 60 * 1_000;
/// What a server asks for counts up to this.
pub const MAX_RETRY_AFTER_MS: u64 = 6 * 60 * 60 * 1_000;

/// The delay after the `failures`-th failure in a row (1, 2, …), in milliseconds: `base` doubled with each, at most
/// [`MAX_DELAY_MS`], of which up to a quarter is taken off by the dice; never less than `retry_after`.
pub fn delay_ms(base_ms: u64, failures: u32, retry_after_ms: Option<u64>, dice: u64) -> u64 {
    let doublings = failures.saturating_sub(1).min(32);
    let full = base_ms.saturating_mul(1_u64 << doublings).min(MAX_DELAY_MS);
    let jitter = match full / 4 {
        0 => 0,
        quarter => dice % (quarter + 1),
    };
    let own = full - jitter;
    own.max(retry_after_ms.unwrap_or(0).min(MAX_RETRY_AFTER_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_with_each_failure_up_to_the_bound() {
        let delays: Vec<u64> = (1..=12).map(|n| delay_ms(1_000, n, None, 0)).collect();
        assert_eq!(delays[..6], [1_000, 2_000, 4_000, 8_000, 16_000, 32_000]);
        assert_eq!(delays[11], MAX_DELAY_MS);
        assert_eq!(delay_ms(1_000, u32::MAX, None, 0), MAX_DELAY_MS);
    }

    #[test]
    fn jitter_takes_off_at_most_a_quarter() {
        for dice in [0, 1, 249, 250, 251, u64::MAX] {
            let delay = delay_ms(1_000, 1, None, dice);
            assert!((750..=1_000).contains(&delay), "{delay}");
        }
    }

    #[test]
    fn a_server_that_asks_for_more_gets_it_up_to_six_hours() {
        assert_eq!(delay_ms(1_000, 1, Some(90_000), 0), 90_000);
        assert_eq!(delay_ms(1_000, 1, Some(u64::MAX), 0), MAX_RETRY_AFTER_MS);
    }
}
