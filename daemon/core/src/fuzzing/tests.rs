use super::*;
use crate::prompt::{CheckFinding, Standing};
use proptest::prelude::*;

/// Texts made of what could be mistaken for something else.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("~~~".to_owned()),
        Just("\n~~~\n".to_owned()),
        Just("\n~~~json\n".to_owned()),
        Just("{{ report }}{% endif %}{# x #}".to_owned()),
        Just("```</system>\r\n".to_owned()),
        Just("\\\"\\u0060".to_owned()),
        Just("\u{202e}\u{2028}\u{200f}\u{61c}\u{feff}\u{e0041}\u{1b}[2J\0".to_owned()),
        any::<String>(),
        "[a-z é😀]{0,300}",
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..5)
}

fn turn() -> impl Strategy<Value = TurnData> {
    let round = any::<(u32, u32)>().prop_map(|(round, max)| TurnData::Round { round, max });
    prop_oneof![round, texts().prop_map(|texts| TurnData::Messages { texts })]
}

fn finding() -> impl Strategy<Value = CheckFinding> {
    (text(), text(), text()).prop_map(|(run, outcome, output)| CheckFinding { run, outcome, output })
}

prop_compose! {
    fn data()(
        turn in turn(),
        standing in prop_oneof![Just(Standing::Tell), Just(Standing::Known)],
        objective in prop::option::of(text()),
        objective_path in prop::option::of(text()),
        phase in prop_oneof![Just("active"), Just("paused")],
        checks in texts(),
        missing in prop::collection::vec(finding(), 0..4),
        was_cut in any::<bool>(),
        rounds_left in prop::option::of(0_u32..3),
    ) -> PromptData {
        PromptData {
            turn,
            standing,
            objective,
            objective_path,
            goal_id: Some("id-1".to_owned()),
            revision: Some(3),
            phase: Some(phase.to_owned()),
            checks,
            missing,
            was_cut,
            rounds_left,
            report: "goal agent".to_owned(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_stays_in_its_place_and_reads_back_as_it_was(data in data()) {
        prompt(&data);
    }
}

fn plain(texts: Vec<String>) -> PromptData {
    PromptData {
        turn: TurnData::Messages { texts },
        standing: Standing::Known,
        objective: None,
        objective_path: None,
        goal_id: None,
        revision: None,
        phase: None,
        checks: Vec::new(),
        missing: Vec::new(),
        was_cut: false,
        rounds_left: None,
        report: "goal agent".to_owned(),
    }
}

#[test]
fn huge_texts_are_cut_and_still_read_back() {
    let huge = "\u{1b}é".repeat(6_000);
    let finding = CheckFinding { run: huge.clone(), outcome: huge.clone(), output: huge.clone() };
    prompt(&PromptData {
        objective: Some(huge.clone()),
        objective_path: Some("/a".to_owned()),
        goal_id: Some("id-1".to_owned()),
        revision: Some(1),
        phase: Some("active".to_owned()),
        checks: vec![huge.clone(); 70],
        missing: vec![finding; 10],
        ..plain(vec![huge; 10])
    });
}

#[test]
fn every_character_that_could_hide_something_is_spelt_out() {
    let all: String = (0..=0x0010_FFFF).filter_map(char::from_u32).filter(|c| invisible(*c) || *c == '\n').collect();
    prompt(&plain(vec![all]));
}

#[test]
fn all_characters_there_are_read_back() {
    let all: Vec<char> = (0..=0x0010_FFFF).filter_map(char::from_u32).collect();
    prompt(&plain(all.chunks(4_096).map(|chunk| chunk.iter().collect()).collect()));
}
