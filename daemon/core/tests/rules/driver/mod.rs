//! Named cases of the round driver, one family a file.

mod caps;
mod claims;
mod interrupts;
mod messages;
mod refs;
mod retries;
mod stops;
mod usage;
mod verdicts;
