//! A program that speaks to the socket as no `goal` would: this test program itself, started again by the tests beside.

use crate::harness::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Its folder: `requests` are read there, one a line, and `answers` written.
const FOLDER: &str = "GOALD_TEST_FOLDER";
/// Set if it leaves after the first answer and lets a child of its own send the rest.
const LEAVES: &str = "GOALD_TEST_LEAVES";

/// What it does with its connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// It speaks itself.
    Speaks,
    /// It greets and exits; a child speaks on the connection that it inherited, once somebody writes to
    /// `gone`, and then to `said`.
    Leaves,
}

/// A line of shell that runs the program with nothing else in its environment. Its requests are the greeting and these; the
/// answers are in `answers` afterwards, which is there only when all have come.
pub fn line(world: &World, manner: Manner, requests: &[(&str, Value)]) -> String {
    let greeting = ("hello", json!({"version": 1, "via": "cli"}));
    let lines: Vec<String> = std::iter::once(&greeting)
        .chain(requests)
        .zip(1..)
        .map(|((method, params), id)| {
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
        })
        .collect();
    world.file("requests", &(lines.join("\n") + "\n"));
    let program = std::env::current_exe().expect("this program");
    let leaves = if manner == Manner::Leaves { format!("{LEAVES}=1") } else { String::new() };
    format!(
        "env -i PATH=\"$PATH\" {leaves} GOALD_SOCKET='{}' {FOLDER}='{}' '{}' --ignored --exact authority::client::speaks",
        world.home().join("goald.sock").display(),
        world.work().display(),
        program.display()
    )
}

/// The answers of a program that has ended.
pub fn answers(world: &World) -> Vec<Value> {
    world.read("answers").lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The parameters of a request about this world's session.
pub fn target(world: &World) -> Value {
    json!({"by": "place", "workspace": world.work().canonicalize().expect("there"), "name": "main"})
}

#[test]
#[ignore = "a program for the tests beside, which run it"]
fn speaks() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("run by a test"));
    let mut socket = UnixStream::connect(std::env::var_os("GOALD_SOCKET").expect("run by a test")).expect("connected");
    let requests = std::fs::read_to_string(folder.join("requests")).expect("read");
    let mut reader = BufReader::new(socket.try_clone().expect("cloned"));
    let mut answers = String::new();
    for (index, request) in requests.lines().enumerate() {
        if index == 1 && std::env::var_os(LEAVES).is_some() {
            std::fs::write(folder.join("rest"), requests.split_inclusive('\n').skip(1).collect::<String>())
                .expect("written");
            std::fs::write(folder.join("first"), &answers).expect("written");
            return leave(&folder, socket);
        }
        writeln!(socket, "{request}").expect("sent");
        reader.read_line(&mut answers).expect("answered");
    }
    std::fs::write(folder.join("answers"), answers).expect("written");
}

/// Hands the connection to a child that waits for a word in `gone`, and exits.
fn leave(folder: &std::path::Path, socket: UnixStream) {
    let count = std::fs::read_to_string(folder.join("rest")).expect("read").lines().count();
    let script = format!(
        "cat gone; cat rest >&0; head -n {count} <&0 > rest.answers; cat first rest.answers > answers; echo said > said"
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(folder).stdin(OwnedFd::from(socket));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    // At once: the child is on its own.
    std::process::exit(0);
}
