//! `goal mcp`: the goal tools for an agent, over standard input and output. Always an agent's voice.

mod arguments;
mod server;

use crate::app::App;
use crate::error::{CliError, Outcome};
use goald_schema::protocol::status::{Activation, Status};
use goald_schema::{ErrorCode, Exit};
use serde_json::{Value, json};

/// Serves until the agent hangs up.
pub fn serve(app: &App) -> Outcome {
    let failed = |what: String| CliError::new(ErrorCode::Internal, format!("the MCP server failed: {what}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(error.to_string()))?;
    let target = app.agent_target()?;
    runtime.block_on(server::serve(app.places.clone(), target)).map_err(failed)?;
    Ok(Exit::Done)
}

/// What `get_goal` answers.
pub fn goal_json(status: &Status) -> Value {
    let Some(goal) = &status.goal else { return json!({"goal": null}) };
    let mut told = json!({
        "id": goal.id,
        "revision": goal.revision,
        "objective": goal.objective,
        "phase": goal.phase,
        "roundsStarted": goal.rounds_started,
        "maxGoalRounds": goal.max_goal_rounds,
        "criteria": goal.criteria,
        "limits": goal.limits,
    });
    if let (Some(reason), Some(fields)) = (&goal.blocked_reason, told.as_object_mut()) {
        fields.insert("blockedReason".to_owned(), json!(reason));
    }
    let activation = match status.activation {
        Activation::Armed => "armed",
        Activation::Disarmed => "disarmed",
    };
    json!({"goal": told, "activation": activation})
}
