//! `/proc/PID/stat`: parent, state and start time of a process.

use std::fs;

/// What goald needs to know of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stat {
    /// Process id.
    pub pid: u32,
    /// Its parent's process id; 0 for none.
    pub parent: u32,
    /// Its session: a process can leave one for a new one of its own, and never join another.
    pub session: u32,
    /// Start time in clock ticks since boot: with the pid it names one process of this boot.
    pub start_ticks: u64,
    /// Whether it still runs.
    pub state: State,
}

/// Whether a process still runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It runs, sleeps or is stopped.
    Alive,
    /// Its main thread is over; nobody has reaped it yet.
    Zombie,
}

/// One process; `None` if there is none with that number, or the system hides it.
pub fn read(pid: u32) -> Option<Stat> {
    parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Every process the system shows. One that ends meanwhile is left out.
pub fn all() -> Vec<Stat> {
    let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
    folder.filter_map(|entry| read(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

/// The second field is the program's name in parentheses; it may itself hold spaces and parentheses, so the fields are
/// counted from the last `)`.
fn parse(pid: u32, bytes: &[u8]) -> Option<Stat> {
    let name_end = bytes.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(bytes.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = match fields.next()? {
        "Z" | "X" | "x" => State::Zombie,
        _ => State::Alive,
    };
    let parent = fields.next()?.parse().ok()?;
    // Fields 3 and 4 are taken; the session is field 6, the start time field 22.
    let session = fields.nth(1)?.parse().ok()?;
    let start_ticks = fields.nth(15)?.parse().ok()?;
    Some(Stat { pid, parent, session, start_ticks, state })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, state: &str) -> Vec<u8> {
        format!("77 ({name}) {state} 5 78 79 0 -1 4194560 1 2 3 4 6 7 8 9 20 0 1 0 123456 999 88 1\n").into_bytes()
    }

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        for name in ["sh", "a b", "a) Z 1 (b", ")", "((", ""] {
            let stat = parse(77, &line(name, "S")).expect("parses");
            assert_eq!(
                stat,
                Stat { pid: 77, parent: 5, session: 79, start_ticks: 123_456, state: State::Alive },
                "{name:?}"
            );
        }
    }

    #[test]
    fn a_zombie_is_told_apart() {
        assert_eq!(parse(77, &line("x", "Z")).map(|stat| stat.state), Some(State::Zombie));
    }

    #[test]
    fn a_cut_line_is_no_process() {
        assert_eq!(parse(77, b"77 (sh) S 5 77"), None);
        assert_eq!(parse(77, b""), None);
    }
}
