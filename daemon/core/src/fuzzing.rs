//! What must hold of every prompt, whatever texts are in it: asked by the fuzz targets in `fuzz/` and by ordinary tests.
//!
//! Only compiled for tests and with the feature `fuzzing`, which nothing of goald itself turns on.

use crate::prompt::{PromptData, TurnData, limit, render};
use goald_schema::goal::OBJECTIVE_CHARS;

/// The most bytes that one byte of a text becomes when it is quoted: `\u0000`.
const QUOTED: usize = 6;
/// More than all of the template.
const FRAME: usize = 8 * 1024;
/// More than what is said of a text that was cut.
const CUT: usize = 64;

/// Every block of data decodes to exactly the texts that were given, in their order; outside the blocks nothing depends
/// on any text; nothing invisible is in it; and once bounded it is not longer than its parts may be.
///
/// # Panics
/// If that does not hold.
pub fn prompt(data: &PromptData) {
    stays_in_its_place(data);
    let bounded = data.clone().bounded();
    let length = stays_in_its_place(&bounded);
    let messages = if let TurnData::Messages { texts } = &bounded.turn { texts.len() } else { 0 };
    let most = limit::OBJECTIVE
        + limit::CHECKS * limit::COMMAND
        + limit::FINDINGS * (limit::COMMAND + limit::OUTCOME + limit::OUTPUT)
        + limit::MESSAGES;
    let path = data.objective_path.as_ref().map_or(0, String::len);
    let bound = QUOTED * (most + path) + FRAME + (limit::CHECKS + messages) * CUT;
    assert!(length <= bound, "{length} bytes, at most {bound}");
    let whole = data.objective.as_ref().is_none_or(|text| text.chars().count() > OBJECTIVE_CHARS);
    assert!(whole || bounded.objective == data.objective, "a goal's text is never cut");
}

fn stays_in_its_place(data: &PromptData) -> usize {
    let rendered = match render(data) {
        Ok(rendered) => rendered,
        Err(error) => panic!("{error}: {data:?}"),
    };
    assert!(!rendered.contains(invisible), "something invisible is in the prompt: {rendered:?}");
    let (blocks, outside) = taken_apart(&rendered);
    assert_eq!(blocks, expected(data), "{rendered}");
    match render(&without_texts(data)) {
        Ok(blank) => assert_eq!(outside, taken_apart(&blank).1, "a text left its place"),
        Err(error) => panic!("{error}: {data:?}"),
    }
    rendered.len()
}

/// What a reader does not see, or sees at another place; also what a Markdown reader could take for a fence or a tag.
fn invisible(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}' | '`' | '<' | '>'
        )
}

/// The blocks, each line decoded, and all that is outside them.
fn taken_apart(prompt: &str) -> (Vec<Vec<String>>, String) {
    let (mut blocks, mut outside) = (Vec::new(), String::new());
    let mut open: Option<Vec<String>> = None;
    for line in prompt.split_inclusive('\n') {
        match (line, open.as_mut()) {
            ("~~~json\n", None) => open = Some(Vec::new()),
            ("~~~\n" | "~~~", Some(_)) => {
                blocks.extend(open.take());
                outside.push_str("[data]\n");
            }
            (text, Some(block)) => match serde_json::from_str(text) {
                Ok(text) => block.push(text),
                Err(error) => panic!("{error}: {text:?}"),
            },
            (text, None) => outside.push_str(text),
        }
    }
    assert!(open.is_none(), "every block is closed");
    (blocks, outside)
}

/// The texts that were given, a block each, in the order of the template.
fn expected(data: &PromptData) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    if let Some(objective) = &data.objective {
        blocks.push(vec![objective.clone()]);
        blocks.extend(data.objective_path.iter().map(|path| vec![path.clone()]));
    }
    if !data.checks.is_empty() {
        blocks.push(data.checks.clone());
    }
    for finding in &data.missing {
        blocks.push(vec![finding.run.clone(), finding.outcome.clone(), finding.output.clone()]);
    }
    if let TurnData::Messages { texts } = &data.turn {
        blocks.push(texts.clone());
    }
    blocks
}

fn without_texts(data: &PromptData) -> PromptData {
    let mut data = data.clone();
    let texts = match &mut data.turn {
        TurnData::Messages { texts } => texts.as_mut_slice(),
        TurnData::Round { .. } => &mut [],
    };
    let findings =
        data.missing.iter_mut().flat_map(|finding| [&mut finding.run, &mut finding.outcome, &mut finding.output]);
    let all = texts.iter_mut().chain(&mut data.objective).chain(&mut data.objective_path);
    for text in all.chain(&mut data.checks).chain(findings) {
        text.clear();
    }
    data
}

#[cfg(test)]
mod tests;
