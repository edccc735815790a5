//! `goal edit`.

use super::change::show;
use crate::app::{App, key, read_file, required, status};
use crate::args::Edit;
use crate::error::{CliError, Outcome};
use goald_schema::ErrorCode;
use goald_schema::protocol::create::ObjectiveText;
use goald_schema::protocol::edit::{self, EditParams};

/// Changes the goal.
pub fn run(app: &App, args: Edit) -> Outcome {
    let objective = match (args.objective, args.file) {
        (Some(text), _) => Some(ObjectiveText::Inline { text }),
        (None, Some(path)) => Some(ObjectiveText::File { text: read_file(&path)? }),
        (None, None) => None,
    };
    let checks = if args.no_checks { Some(Vec::new()) } else { Some(args.checks).filter(|checks| !checks.is_empty()) };
    if objective.is_none() && checks.is_none() && args.max_rounds.is_none() {
        return Err(CliError::new(ErrorCode::InvalidValue, "nothing to change is named")
            .hint("goal edit --objective TEXT, --max-rounds N, --check CMD or --no-checks"));
    }
    let target = app.target()?;
    let mut connection = app.connect()?;
    let reference = required(&status(&mut connection, &target)?)?;
    let max_rounds = args.max_rounds;
    let params = EditParams { target, reference, objective, max_rounds, checks, idempotency_key: Some(key()) };
    Ok(show(app, "edited", &connection.change::<edit::Edit>(&params)?))
}
