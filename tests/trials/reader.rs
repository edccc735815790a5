//! An agent that reads its prompt and notes when: this very test program, started again as an agent.
//!
//! It notes the time right before and right after every read, by the clock that the trial uses for its own times. It catches
//! the signals by which it would be cut, so that no read goes unnoted; it ends by itself once its input has ended.

use crate::harness::World;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Where the agent writes its notes. Set, it makes this program the agent.
const NOTES: &str = "TRIAL_NOTES";
/// How the agent behaves.
const MANNER: &str = "TRIAL_MANNER";
/// The test that is the agent when it is asked to be.
const PROGRAM: &str = "trials::reader::every_read_of_a_prompt_is_noted_with_its_times";

/// How an agent treats its prompt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// Reads all of it and ends its turn at once.
    AtOnce,
    /// Reads all of it and fails at once.
    Fails,
    /// Reads it in small pieces with pauses in between, then ends its turn.
    Slowly,
}

impl Manner {
    const ALL: [Self; 3] = [Self::AtOnce, Self::Fails, Self::Slowly];

    fn name(self) -> String {
        format!("{self:?}")
    }
}

/// One read that brought something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Noted {
    /// When it was called, in nanoseconds of the monotonic clock.
    pub called: u64,
    /// When it had returned.
    pub returned: u64,
    /// How many bytes it brought.
    pub bytes: usize,
}

/// The monotonic clock in nanoseconds, the same for every process of the machine.
pub fn monotonic() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec * 1_000_000_000 + now.tv_nsec).expect("after the boot")
}

/// The command line of the agent.
pub fn command_line() -> Vec<String> {
    let program = std::env::current_exe().expect("this program has a path");
    let program = program.to_str().expect("UTF-8").to_owned();
    [&program, "--exact", PROGRAM, "--nocapture", "--test-threads=1"].map(str::to_owned).to_vec()
}

/// A profile with it for `config.toml`.
pub fn profile() -> String {
    let words: Vec<String> = command_line().iter().map(|word| format!("'{word}'")).collect();
    format!("[agents.reader]\nkind = 'command'\ncommand = [{}]\n", words.join(", "))
}

/// Who asks, with the environment that makes the agent behave in this manner.
pub fn caller(world: &World, manner: Manner) -> Value {
    json!({"environment": {NOTES: notes(world), MANNER: manner.name()}, "cwd": world.work()})
}

fn notes(world: &World) -> PathBuf {
    world.home().join("notes.txt")
}

/// Everything noted so far.
pub fn noted(world: &World) -> Vec<Noted> {
    std::fs::read_to_string(notes(world)).unwrap_or_default().lines().map(parse).collect()
}

fn parse(line: &str) -> Noted {
    let mut numbers = line.split(' ').map(|word| word.parse::<u64>().expect("a number"));
    let mut next = || numbers.next().expect("three numbers");
    Noted { called: next(), returned: next(), bytes: usize::try_from(next()).expect("fits") }
}

/// The agent: does not return.
fn be_the_agent(notes: &Path, manner: Manner) -> ! {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::default()).expect("caught");
    }
    let mut notes = std::fs::OpenOptions::new().create(true).append(true).open(notes).expect("opened");
    let stdin = std::io::stdin();
    // Waited for first and read without waiting then: the two times are close together, whatever the read brings.
    fcntl(&stdin, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).expect("set");
    let mut input = std::fs::File::from(stdin.as_fd().try_clone_to_owned().expect("cloned"));
    let mut buffer = vec![0; if manner == Manner::Slowly { 1 << 10 } else { 64 << 10 }];
    loop {
        match poll(&mut [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)], PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => panic!("{error}"),
        }
        let called = monotonic();
        let read = input.read(&mut buffer);
        let returned = monotonic();
        match read {
            Ok(0) => std::process::exit(if manner == Manner::Fails { 7 } else { 0 }),
            Ok(bytes) => notes.write_all(format!("{called} {returned} {bytes}\n").as_bytes()).expect("noted"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
        }
        if manner == Manner::Slowly {
            std::thread::sleep(Duration::from_micros(300));
        }
    }
}

#[test]
fn every_read_of_a_prompt_is_noted_with_its_times() {
    if let Some(path) = std::env::var_os(NOTES) {
        let name = std::env::var(MANNER).expect("set");
        let manner = Manner::ALL.into_iter().find(|manner| manner.name() == name).expect("known");
        be_the_agent(Path::new(&path), manner);
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (manner, code, reads) in [(Manner::AtOnce, 0, 2), (Manner::Fails, 7, 2), (Manner::Slowly, 0, 6)] {
        let path = folder.path().join(manner.name());
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("made");
        let words = command_line();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env(NOTES, &path).env(MANNER, manner.name());
        let mut agent = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
        let mut stdin = agent.stdin.take().expect("piped");
        let mut told = BufReader::new(std::fs::File::open(&path).expect("opened"));
        let mut notes: Vec<Noted> = Vec::new();
        let mut times = vec![monotonic()];
        for part in [b'x', b'y'] {
            stdin.write_all(&[part; 2_100]).expect("written");
            let mut bytes = 0;
            while bytes < 2_100 {
                let mut line = String::new();
                assert_ne!(told.read_line(&mut line).expect("read"), 0, "{manner:?} ends too early: {notes:?}");
                let note = parse(line.trim_end());
                bytes += note.bytes;
                times.extend([note.called, note.returned]);
                notes.push(note);
            }
            assert_eq!(bytes, 2_100);
            times.push(monotonic());
        }
        drop(stdin);
        assert_eq!(agent.wait().expect("ended").code(), Some(code), "{manner:?}");
        assert!(notes.len() >= reads && times.is_sorted(), "{manner:?}: {times:?}");
    }
}
