//! Real processes under real guards. Has a main of its own, because the guard is a re-exec of this program.

#![expect(clippy::expect_used, clippy::panic, reason = "a test may; clippy does not see that these are tests")]

mod attempt;
mod cancel;
mod check;
mod death;
mod guard;
mod world;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;
use std::time::Duration;

/// No test comes near it; it only keeps a broken one from hanging for ever.
const PATIENCE: Duration = Duration::from_mins(1);

/// One trial a function, by its path. A test that is not listed is dead code, which the build refuses.
macro_rules! trials {
    ($($module:ident :: { $($name:ident),* $(,)? })*) => {
        vec![$($(Trial::test(concat!(stringify!($module), "::", stringify!($name)), || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
            let result = runtime.block_on(async { tokio::time::timeout(PATIENCE, $module::$name()).await });
            runtime.shutdown_background();
            result.map_err(|_| "out of patience".into())
        })),*),*]
    };
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(goald_daemon::guard::ARGUMENT) {
        return goald_daemon::guard::run();
    }
    let trials = trials! {
        guard::{
            nothing_runs_while_the_gate_is_closed,
            a_prompt_larger_than_a_pipe_arrives_whole,
            an_agent_that_never_reads_its_prompt_hangs_nothing,
            after_a_fence_no_further_byte_of_the_prompt_can_be_read,
            a_fence_before_anything_was_read_takes_everything_back,
            an_agent_inherits_no_descriptor_no_ignored_signal_and_no_foreign_variable,
            a_missing_program_and_a_missing_folder_are_told_apart,
            exit_codes_and_signals_are_told,
            a_program_that_is_no_guard_is_an_error,
            guards_are_reaped,
        }
        cancel::{
            an_agent_that_honours_the_interrupt_ends_by_it,
            an_agent_that_only_honours_terminate_ends_by_it,
            an_agent_that_ignores_both_is_killed,
            a_cancellation_takes_the_whole_tree_with_it,
            what_is_left_when_the_agent_ends_is_ended_and_counted,
        }
        death::{
            the_tree_dies_with_the_daemons_end_of_the_lifeline,
            an_unopened_guard_dies_when_it_is_dropped,
            a_killed_guard_takes_the_agent_with_it_and_the_rest_is_found_by_its_mark,
            nothing_is_touched_after_a_reboot,
            a_recorded_number_that_now_belongs_to_somebody_else_is_not_touched,
            a_lost_guards_tree_is_ended_before_its_end_is_told,
            a_guard_that_was_stopped_does_not_save_its_tree_from_a_cancellation,
            a_signal_to_whoever_looks_is_no_end_of_a_process,
        }
        attempt::{
            a_text_agent_completes_with_its_output_and_last_words,
            json_lines_tell_session_usage_and_end,
            a_crash_says_exit_status_and_the_end_of_standard_error,
            a_missing_program_is_a_spawn_failure_and_a_missing_folder_one_of_the_workspace,
            output_over_the_cap_is_discarded_and_the_agent_goes_on,
            a_line_without_end_and_invalid_utf_8_are_kept_and_harm_nothing,
            silence_and_slowness_run_into_their_own_bounds,
            the_strongest_cause_of_a_cancellation_is_the_outcome,
            a_lost_guard_is_a_lost_attempt,
        }
        check::{
            the_exit_code_decides,
            a_check_that_cannot_tell_is_never_met,
            the_end_of_the_output_is_kept,
            a_check_knows_that_it_is_one_and_has_no_token,
            a_dropped_check_leaves_nothing_behind,
            a_cancelled_check_hears_the_interrupt_and_is_waited_for_with_all_it_started,
            a_check_that_is_cancelled_before_it_starts_runs_nothing,
            what_a_check_left_whose_guard_was_killed_is_ended,
            what_checks_left_is_found_at_the_next_start_and_no_other_folders,
        }
    };
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
