//! `goal schema [NAME]`: what this very program speaks, made from its types; asks no daemon and reads no file.

use crate::app::App;
use crate::args::Schema;
use crate::error::{CliError, Outcome};
use crate::print;
use goald_schema::{ErrorCode, Exit, export};
use serde_json::{Map, Value};

/// Lists the schemas, or prints one or all: for people over many lines, with `--json` in one.
pub fn run(app: &App, args: &Schema) -> Outcome {
    let schemas: Map<String, Value> =
        export::documents().into_iter().map(|(file, schema)| (name(file).to_owned(), schema)).collect();
    if args.all {
        show(app, &Value::Object(schemas));
    } else if let Some(wanted) = &args.name {
        let known = || schemas.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let found = schemas.get(wanted).ok_or_else(|| {
            CliError::new(ErrorCode::InvalidValue, format!("there is no schema {wanted}"))
                .hint(format!("there are {}", known()))
        })?;
        show(app, found);
    } else if app.common.json {
        print::json(&schemas.keys().collect::<Vec<_>>());
    } else {
        schemas.keys().for_each(|name| print::line(name));
    }
    Ok(Exit::Done)
}

/// `event` for `event.json`.
fn name(file: &str) -> &str {
    file.strip_suffix(".json").unwrap_or(file)
}

fn show(app: &App, value: &Value) {
    if app.common.json {
        print::json(value);
    } else {
        print::line(&format!("{value:#}"));
    }
}
