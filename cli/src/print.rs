//! Standard output is the result, standard error the rest. Colour only on a terminal, and not with `NO_COLOR`.

use goald_schema::Exit;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Prints text as it is. A reader that has gone away ends the process quietly, as with any filter.
pub fn text(text: &str) {
    write(&mut anstream::stdout().lock(), text);
}

/// Prints a line.
pub fn line(line: &str) {
    text(&format!("{line}\n"));
}

/// Prints a value as one line of JSON.
pub fn json(value: &impl Serialize) {
    match serde_json::to_string(value) {
        Ok(json) => line(&json),
        // Nothing that is printed here holds what JSON cannot say.
        Err(error) => note(&format!("error: the result cannot be written as JSON: {error}")),
    }
}

/// Prints a line for people on standard error.
pub fn note(note: &str) {
    write(&mut anstream::stderr().lock(), &format!("{note}\n"));
}

fn write(to: &mut impl Write, text: &str) {
    if let Err(error) = to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        let quiet = error.kind() == ErrorKind::BrokenPipe;
        std::process::exit(i32::from(if quiet { Exit::BrokenPipe } else { Exit::Failed }.code()));
    }
}
