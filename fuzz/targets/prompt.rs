//! Prompts with any text in them.
#![no_main]

use arbitrary::Arbitrary;
use goald_core::prompt::{CheckFinding, PromptData, Standing, TurnData};

#[derive(Arbitrary, Debug)]
struct Given<'a> {
    messages: Option<Vec<&'a str>>,
    round: u32,
    known: bool,
    objective: Option<(&'a str, Option<&'a str>)>,
    active: bool,
    checks: Vec<&'a str>,
    missing: Vec<(&'a str, &'a str, &'a str)>,
    was_cut: bool,
    rounds_left: Option<u32>,
}

libfuzzer_sys::fuzz_target!(|given: Given<'_>| goald_core::fuzzing::prompt(&data(&given)));

fn data(given: &Given<'_>) -> PromptData {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    PromptData {
        turn: match &given.messages {
            Some(texts) => TurnData::Messages { texts: owned(texts) },
            None => TurnData::Round { round: given.round, max: 256 },
        },
        standing: if given.known { Standing::Known } else { Standing::Tell },
        objective: given.objective.map(|(text, _)| text.to_owned()),
        objective_path: given.objective.and_then(|(_, path)| path).map(str::to_owned),
        goal_id: Some("019f0000-0000-7000-8000-000000000001".to_owned()),
        revision: Some(3),
        phase: Some(if given.active { "active" } else { "blocked" }.to_owned()),
        checks: owned(&given.checks),
        missing: given
            .missing
            .iter()
            .map(|(run, outcome, output)| CheckFinding {
                run: (*run).to_owned(),
                outcome: (*outcome).to_owned(),
                output: (*output).to_owned(),
            })
            .collect(),
        was_cut: given.was_cut,
        rounds_left: given.rounds_left,
        report: "/usr/bin/goal agent".to_owned(),
    }
}
