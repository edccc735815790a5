//! A socket client that says whatever a test wants.

use super::PATIENCE;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

pub struct Raw {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
    next: u64,
}

impl Raw {
    pub fn connect(socket: &Path) -> Self {
        let writer = UnixStream::connect(socket).expect("connected");
        writer.set_read_timeout(Some(PATIENCE)).expect("set");
        let reader = BufReader::new(writer.try_clone().expect("cloned"));
        Self { reader, writer, next: 1 }
    }

    /// Connects and greets as the command line does.
    pub fn greeted(socket: &Path) -> Self {
        let mut raw = Self::connect(socket);
        let reply = raw.call("hello", json!({"version": 1, "via": "cli"}));
        assert!(reply["result"].is_object(), "{reply}");
        raw
    }

    pub fn send(&mut self, bytes: &[u8]) {
        // The daemon may hang up while it is being flooded: the answer says so.
        self.writer.write_all(bytes).ok();
    }

    pub fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(serde_json::from_str(&line).expect("a line is JSON")),
        }
    }

    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(format!("{request}\n").as_bytes());
        loop {
            let line = self.line().expect("an answer");
            if line.get("method").is_none() {
                return line;
            }
        }
    }

    /// Says that nothing more will be said, and goes on listening.
    pub fn hang_up(&mut self) {
        self.writer.shutdown(std::net::Shutdown::Write).expect("shut");
    }

    /// Whether the daemon has hung up, and nothing more comes.
    pub fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        let read = self.reader.read_to_end(&mut rest);
        // Closed with something unread on its side, the kernel says so by a reset.
        let closed = read.is_ok() || read.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset);
        closed && rest.is_empty()
    }
}

/// The error code of an answer.
pub fn code(answer: &Value) -> &str {
    answer["error"]["data"]["code"].as_str().unwrap_or("no error")
}
