//! Times for people: local, and how long.

use chrono::{Local, Utc};
use goald_schema::Timestamp;

/// Now, by the wall clock.
pub fn now() -> Timestamp {
    Timestamp::from_millis(Utc::now().timestamp_millis()).unwrap_or(Timestamp::EPOCH)
}

/// A time on this machine's clock.
pub fn local(time: Timestamp) -> String {
    time.to_utc().with_timezone(&Local).format("%Y-%m-%d %H:%M:%S").to_string()
}

/// How long, in the two largest units.
pub fn duration(millis: u64) -> String {
    let seconds = millis / 1_000;
    match seconds {
        0 if millis == 0 => "0 s".to_owned(),
        0 => format!("{millis} ms"),
        1..=59 => format!("{}.{} s", seconds, millis % 1_000 / 100),
        60..=3_599 => format!("{} min {} s", seconds / 60, seconds % 60),
        3_600..=86_399 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_told_in_the_two_largest_units() {
        let told = [0, 999, 1_500, 61_000, 7_260_000, 90_000_000].map(duration);
        assert_eq!(told, ["0 s", "999 ms", "1.5 s", "1 min 1 s", "2 h 1 min", "1 d 1 h"]);
    }
}
