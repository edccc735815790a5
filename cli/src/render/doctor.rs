//! `goal doctor` for people: one line a check, and below each that is not well what to do.

use super::escape::line;
use super::style::{BAD, FAINT, GOOD, NEEDS, STRONG, paint};
use goald_schema::doctor::{Area, DoctorReport, Finding, Level};

/// The whole report, with its verdict last.
pub fn text(report: &DoctorReport) -> String {
    let mut text = String::new();
    let mut area: Option<Area> = None;
    for finding in &report.findings {
        if area != Some(finding.area) {
            text += &paint(STRONG, finding.area.as_str());
            text.push('\n');
            area = Some(finding.area);
        }
        text += &one(finding);
    }
    text + &verdict(report)
}

fn one(finding: &Finding) -> String {
    let mark = match finding.level {
        Level::Ok => paint(GOOD, "ok     "),
        Level::Note => paint(NEEDS, "note   "),
        Level::Problem => paint(BAD, "problem"),
    };
    let code = finding.code.map_or_else(String::new, |code| format!("{code}: "));
    let hint = finding.hint.as_ref().map_or_else(String::new, |hint| {
        let hint = line(hint);
        format!("          {}\n", paint(FAINT, &format!("→ {hint}")))
    });
    format!("  {mark} {code}{}\n{hint}", line(&finding.message))
}

fn verdict(report: &DoctorReport) -> String {
    let count = |level| report.findings.iter().filter(|finding| finding.level == level).count();
    let notes = match count(Level::Note) {
        0 => String::new(),
        1 => ", 1 note".to_owned(),
        notes => format!(", {notes} notes"),
    };
    let verdict = match count(Level::Problem) {
        0 => paint(GOOD, "sound"),
        1 => paint(BAD, "1 problem"),
        problems => paint(BAD, &format!("{problems} problems")),
    };
    format!("{verdict}{notes}; docs/codes.md explains each code\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use goald_schema::doctor::{DaemonSeen, FindingCode};

    #[test]
    fn a_problem_has_its_code_what_to_do_and_no_control_character() {
        let findings = vec![
            Finding::problem(Area::Log, FindingCode::LogCut, "cut\u{1b}[2J\nhere").hint("do\u{7}this"),
            Finding::ok(Area::Platform, "pidfd"),
        ];
        let report = DoctorReport::new("1".to_owned(), "/s".to_owned(), DaemonSeen::Absent, findings);
        let plain = anstream::adapter::strip_str(&text(&report)).to_string();
        assert_eq!(
            plain,
            "platform\n  ok      pidfd\nlog\n  problem log-cut: cut\\u{1b}[2J here\n          → do\\u{7}this\n\
             1 problem; docs/codes.md explains each code\n"
        );
    }
}
