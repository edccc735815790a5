//! The one timestamp: milliseconds since the Unix epoch, UTC. RFC 3339 in JSON.

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A wall-clock time in integer milliseconds UTC. Raw clock readings are kept as they were; durations between two of
/// them are clamped at zero (`docs/rules.md`, "Time").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Timestamp(i64);

/// A text or number that is no timestamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTimestamp {
    /// Not RFC 3339.
    #[error("a time is RFC 3339 in UTC, such as 2026-12-01T04:56:03.123Z, not {0:?}")]
    Text(String),
    /// Outside the years that can be written down.
    #[error("{0} ms is outside the range of dates")]
    Range(i64),
}

impl Timestamp {
    /// The start of 1970, UTC.
    pub const EPOCH: Self = Self(0);

    /// From milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`BadTimestamp::Range`] beyond the years that RFC 3339 can write (0000 to 9999).
    pub fn from_millis(millis: i64) -> Result<Self, BadTimestamp> {
        const FIRST: i64 = -62_167_219_200_000;
        const LAST: i64 = 253_402_300_799_999;
        if (FIRST..=LAST).contains(&millis) { Ok(Self(millis)) } else { Err(BadTimestamp::Range(millis)) }
    }

    /// Milliseconds since the Unix epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Milliseconds from `earlier` to this, zero if the clock went back meanwhile.
    pub fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// This time plus a duration in milliseconds, held inside the range of dates.
    #[must_use]
    pub fn plus_millis(self, millis: u64) -> Self {
        let moved = self.0.saturating_add(i64::try_from(millis).unwrap_or(i64::MAX));
        Self::from_millis(moved).unwrap_or(Self(253_402_300_799_999))
    }

    /// As a chrono date, for display.
    pub fn to_utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or(DateTime::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromStr for Timestamp {
    type Err = BadTimestamp;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let date = DateTime::parse_from_rfc3339(text).map_err(|_| BadTimestamp::Text(text.to_owned()))?;
        Self::from_millis(date.timestamp_millis())
    }
}

impl TryFrom<String> for Timestamp {
    type Error = BadTimestamp;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(time: Timestamp) -> Self {
        time.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_rfc_3339_with_milliseconds_and_read_back() {
        let time = Timestamp::from_millis(1_764_564_963_007).expect("in range");
        assert_eq!(time.to_string(), "2025-12-01T04:56:03.007Z");
        assert_eq!(time.to_string().parse(), Ok(time));
    }

    #[test]
    fn a_clock_that_went_back_gives_no_negative_duration() {
        let early = Timestamp::from_millis(1_000).expect("in range");
        let late = Timestamp::from_millis(5_000).expect("in range");
        assert_eq!(late.since(early), 4_000);
        assert_eq!(early.since(late), 0);
    }

    #[test]
    fn the_far_future_is_held_inside_the_range() {
        let time = Timestamp::from_millis(0).expect("in range").plus_millis(u64::MAX);
        assert_eq!(time.to_string(), "9999-12-31T23:59:59.999Z");
    }
}
