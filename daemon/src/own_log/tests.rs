use super::*;
use std::os::unix::fs::PermissionsExt;

fn bounded(folder: &tempfile::TempDir, most: u64) -> (OwnLog, PathBuf) {
    let path = folder.path().join("log");
    (OwnLog::bounded(&path, most).expect("opened"), path)
}

fn say(log: &mut OwnLog, text: &str) {
    assert_eq!(log.write(text.as_bytes()).expect("never fails"), text.len());
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("read")
}

#[test]
fn a_full_file_moves_on_and_three_older_ones_are_kept_private_and_bounded() {
    let folder = tempfile::tempdir().expect("folder");
    let (mut log, path) = bounded(&folder, 20);
    for number in 10..20 {
        say(&mut log, &format!("event {number}\n"));
    }
    assert_eq!(text(&path), "event 18\nevent 19\n");
    for (number, wanted) in [(1, "event 16\nevent 17\n"), (2, "event 14\nevent 15\n"), (3, "event 12\nevent 13\n")] {
        let older = numbered(&path, number);
        assert_eq!(text(&older), wanted);
        assert_eq!(std::fs::metadata(&older).expect("there").permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 4);
}

#[test]
fn a_file_that_is_full_when_it_is_opened_moves_on_first() {
    let folder = tempfile::tempdir().expect("folder");
    let (mut log, path) = bounded(&folder, 20);
    say(&mut log, "eighteen bytes...\n");
    let (mut log, _) = bounded(&folder, 20);
    say(&mut log, "next\n");
    assert_eq!((text(&path), text(&numbered(&path, 1))), ("next\n".to_owned(), "eighteen bytes...\n".to_owned()));
}

#[test]
fn an_event_is_one_line_and_nothing_in_it_moves_a_terminal() {
    let folder = tempfile::tempdir().expect("folder");
    let (mut log, path) = bounded(&folder, 1_000);
    say(&mut log, "grün\r\n2026-12-01 INFO forged\u{1b}[2J\u{9b}1m\u{202e}\u{2028}\0\tend\n");
    assert_eq!(text(&path), "grün\\r\\n2026-12-01 INFO forged\\u{1b}[2J\\u{9b}1m\\u{202e}\\u{2028}\\u{0}\\tend\n");
}

#[test]
fn a_full_disk_drops_events_without_a_word_and_a_cut_line_is_closed_once_there_is_room() {
    let folder = tempfile::tempdir().expect("folder");
    let (mut log, path) = bounded(&folder, 1_000);
    say(&mut log, "before\n");
    let file = log.file.replace(std::fs::OpenOptions::new().append(true).open("/dev/full").expect("opened"));
    say(&mut log, "lost\n");
    assert_eq!(log.line, Line::Cut);
    log.file = file;
    say(&mut log, "after\n");
    assert_eq!(text(&path), "before\n\nafter\n");
}

#[test]
fn a_folder_that_lets_nothing_be_moved_drops_events_and_keeps_the_bound() {
    let folder = tempfile::tempdir().expect("folder");
    let (mut log, path) = bounded(&folder, 20);
    say(&mut log, "eighteen bytes...\n");
    // Nothing can be renamed over a folder that is not empty.
    std::fs::create_dir_all(numbered(&path, 3).join("x")).expect("made");
    std::fs::write(numbered(&path, 2), "older").expect("written");
    say(&mut log, "lost\n");
    assert_eq!(text(&path), "eighteen bytes...\n");
    std::fs::remove_dir_all(numbered(&path, 3)).expect("removed");
    say(&mut log, "next\n");
    assert_eq!(text(&path), "next\n");
}
