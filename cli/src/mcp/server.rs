//! The tools, each a call to the daemon.

use super::arguments::{Action, CreateGoal, UpdateGoal};
use super::goal_json;
use crate::app::{key, status};
use crate::client::{Connection, OnDemand};
use crate::error::CliError;
use crate::home::Places;
use goald_schema::Via;
use goald_schema::goal::WorkspaceUse;
use goald_schema::protocol::agent::{AgentBlocked, AgentBlockedParams, AgentComplete, AgentCompleteParams};
use goald_schema::protocol::create::{Create, CreateParams, ObjectiveText};
use goald_schema::protocol::edit::{Edit, EditParams};
use goald_schema::protocol::pause::{Pause, PauseParams, PauseWhen};
use goald_schema::protocol::resume::{Resume, ResumeParams};
use goald_schema::protocol::target::Target;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use serde_json::{Value, json};

/// Serves the tools until the agent hangs up.
pub async fn serve(places: Places, target: Target) -> Result<(), String> {
    let server = GoalTools { places, target, tool_router: GoalTools::tool_router() };
    let running = server.serve(rmcp::transport::stdio()).await.map_err(|error| error.to_string())?;
    running.waiting().await.map_err(|error| error.to_string())?;
    Ok(())
}

/// The goal tools of one session.
#[derive(Clone)]
struct GoalTools {
    places: Places,
    target: Target,
    tool_router: ToolRouter<Self>,
}

#[tool_handler(router = self.tool_router, name = "goald")]
impl ServerHandler for GoalTools {}

#[tool_router(router = tool_router)]
impl GoalTools {
    /// Reads the goal.
    #[tool(
        name = "get_goal",
        description = "Read the current goal: id, revision, objective, phase, rounds, criteria.",
        annotations(title = "Read the goal", read_only_hint = true)
    )]
    async fn get_goal(&self) -> CallToolResult {
        self.answer(|connection, target| Ok(goal_json(&status(connection, target)?)))
    }

    /// Sets a goal.
    #[tool(
        name = "create_goal",
        description = "Set a goal. Only in a turn that answers a person's own message, and only when that person asks for it."
    )]
    async fn create_goal(&self, Parameters(arguments): Parameters<CreateGoal>) -> CallToolResult {
        self.answer(|connection, target| {
            let params = CreateParams {
                target: target.clone(),
                max_rounds: arguments.bound(),
                objective: ObjectiveText::Inline { text: arguments.objective.clone() },
                agent: None,
                checks: Vec::new(),
                workspace_use: WorkspaceUse::Alone,
                replaces: None,
                caller: None,
                idempotency_key: Some(key()),
            };
            Ok(goal_json(&connection.change::<Create>(&params)?.status))
        })
    }

    /// Changes the goal, or reports on it.
    #[tool(
        name = "update_goal",
        description = "Report on the goal: action complete (with summary) when it is reached, blocked (with blocked_reason) \
                       when it cannot be reached as things are. edit, pause and resume only in a turn that answers a \
                       person's own message. goal_id and revision are those of get_goal."
    )]
    async fn update_goal(&self, Parameters(arguments): Parameters<UpdateGoal>) -> CallToolResult {
        self.answer(|connection, target| update(connection, target, &arguments))
    }

    /// One call to the daemon: short, so the runtime's one thread may wait for it.
    fn answer(&self, ask: impl FnOnce(&mut Connection, &Target) -> Result<Value, CliError>) -> CallToolResult {
        let asked = Connection::open(&self.places, Via::Mcp, OnDemand::Leave)
            .and_then(|mut connection| ask(&mut connection, &self.target));
        match asked {
            Ok(value) => CallToolResult::structured(value),
            Err(error) => CallToolResult::structured_error(json!({"error": error.0})),
        }
    }
}

fn update(connection: &mut Connection, target: &Target, arguments: &UpdateGoal) -> Result<Value, CliError> {
    let reference = arguments.reference()?;
    let text = arguments.text()?;
    let target = target.clone();
    let idempotency_key = Some(key());
    match arguments.action {
        Action::Complete => {
            let params = AgentCompleteParams {
                target,
                reference: Some(reference),
                summary: text,
                artifacts: Vec::new(),
                unverified: Vec::new(),
                idempotency_key,
            };
            let reply = connection.change::<AgentComplete>(&params)?;
            Ok(with_instruction(&reply.instruction, &reply.status))
        }
        Action::Blocked => {
            let params = AgentBlockedParams { target, reference: Some(reference), reason: text, idempotency_key };
            let reply = connection.change::<AgentBlocked>(&params)?;
            Ok(with_instruction(&reply.instruction, &reply.status))
        }
        Action::Edit => {
            let objective = Some(ObjectiveText::Inline { text });
            let params = EditParams { target, reference, objective, max_rounds: None, checks: None, idempotency_key };
            Ok(goal_json(&connection.change::<Edit>(&params)?.status))
        }
        Action::Pause => {
            let params = PauseParams { target, reference: Some(reference), when: PauseWhen::Now, idempotency_key };
            Ok(goal_json(&connection.change::<Pause>(&params)?.status))
        }
        Action::Resume => {
            let params = ResumeParams { target, reference, caller: None, idempotency_key };
            Ok(goal_json(&connection.change::<Resume>(&params)?.status))
        }
    }
}

fn with_instruction(instruction: &str, status: &goald_schema::protocol::status::Status) -> Value {
    let mut told = goal_json(status);
    if let Some(fields) = told.as_object_mut() {
        fields.insert("instruction".to_owned(), json!(instruction));
    }
    told
}
