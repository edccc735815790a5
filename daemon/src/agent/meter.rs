//! One normal form for usage: what this attempt has used so far. Agents report a step, the run, or their whole session.

use goald_schema::usage::Usage;
use serde::Deserialize;

/// What a reported usage covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One step: added.
    Step,
    /// The run so far: replaces.
    Run,
    /// The agent's session so far, earlier attempts included: what is over the last known total counts.
    Session,
}

/// Sums up the reports of one attempt.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    previous: Usage,
    total: Option<Usage>,
}

impl Meter {
    /// `previous` is the total of the agent's session before this attempt; zero for a fresh session.
    pub fn new(previous: Usage) -> Self {
        Self { previous, total: None }
    }

    /// The agent's session is another than the one that was to be continued: its total begins at zero.
    pub fn begin_anew(&mut self) {
        self.previous = Usage::default();
    }

    /// Takes a report and says what this attempt has used so far. A cost that was known stays known.
    pub fn report(&mut self, scope: Scope, usage: Usage) -> Usage {
        let so_far = self.total.unwrap_or_default();
        let mut total = match scope {
            Scope::Step => so_far.plus(usage),
            Scope::Run => usage,
            Scope::Session => over(usage, self.previous),
        };
        total.cost_micro_usd = total.cost_micro_usd.or(so_far.cost_micro_usd);
        self.total = Some(total);
        total
    }
}

/// What one total has over an earlier one; never negative, even if the agent began to count anew.
fn over(total: Usage, previous: Usage) -> Usage {
    let over = |now: u64, before: u64| now.saturating_sub(before);
    Usage {
        input_tokens: over(total.input_tokens, previous.input_tokens),
        cached_input_tokens: over(total.cached_input_tokens, previous.cached_input_tokens),
        cache_write_tokens: over(total.cache_write_tokens, previous.cache_write_tokens),
        output_tokens: over(total.output_tokens, previous.output_tokens),
        cost_micro_usd: total.cost_micro_usd.map(|cost| over(cost, previous.cost_micro_usd.unwrap_or(0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input_tokens: u64, cost_micro_usd: Option<u64>) -> Usage {
        Usage { input_tokens, cost_micro_usd, ..Usage::default() }
    }

    #[test]
    fn steps_add_up() {
        let mut meter = Meter::new(Usage::default());
        assert_eq!(meter.report(Scope::Step, usage(5, None)), usage(5, None));
        assert_eq!(meter.report(Scope::Step, usage(7, Some(2))), usage(12, Some(2)));
        assert_eq!(meter.report(Scope::Step, usage(1, None)), usage(13, Some(2)));
    }

    #[test]
    fn a_run_replaces_what_was_counted() {
        let mut meter = Meter::new(usage(1_000, None));
        meter.report(Scope::Step, usage(5, None));
        assert_eq!(meter.report(Scope::Run, usage(40, Some(9))), usage(40, Some(9)));
        assert_eq!(meter.report(Scope::Run, usage(50, None)), usage(50, Some(9)), "a known cost stays known");
    }

    #[test]
    fn of_a_session_only_what_is_new_counts_and_never_less_than_nothing() {
        let mut meter = Meter::new(usage(1_000, Some(70)));
        assert_eq!(meter.report(Scope::Session, usage(1_200, Some(100))), usage(200, Some(30)));
        assert_eq!(meter.report(Scope::Session, usage(1_300, Some(110))), usage(300, Some(40)));
        let mut anew = Meter::new(usage(1_000, Some(70)));
        assert_eq!(anew.report(Scope::Session, usage(10, Some(1))), usage(0, Some(0)));
    }
}
