//! `goal agent …`: an agent's voice where there is no MCP.

use super::change::show;
use super::create::text;
use crate::app::{App, key, required, status};
use crate::args::{Agent, AgentBlocked, AgentComplete, AgentCreate, AgentEdit};
use crate::error::Outcome;
use crate::{print, render};
use goald_schema::Exit;
use goald_schema::goal::WorkspaceUse;
use goald_schema::protocol::agent::{self, AgentBlockedParams, AgentCompleteParams, ClaimReply};
use goald_schema::protocol::create::{self, CreateParams, ObjectiveText};
use goald_schema::protocol::edit::{self, EditParams};
use goald_schema::protocol::pause::{self, PauseParams, PauseWhen};
use goald_schema::protocol::resume::{self, ResumeParams};

/// Speaks as the agent.
pub fn run(app: &App, verb: Agent) -> Outcome {
    let target = app.agent_target()?;
    let mut connection = app.connect()?;
    match verb {
        Agent::Get => {
            let status = status(&mut connection, &target)?;
            if app.common.json {
                print::json(&crate::mcp::goal_json(&status));
            } else {
                print::text(&render::status::text(&status, &[], render::time::now()));
            }
            Ok(Exit::Done)
        }
        Agent::Complete(AgentComplete { summary, artifacts, unverified }) => {
            let params = AgentCompleteParams {
                target,
                reference: None,
                summary,
                artifacts,
                unverified,
                idempotency_key: Some(key()),
            };
            Ok(reported(app, &connection.change::<agent::AgentComplete>(&params)?))
        }
        Agent::Blocked(AgentBlocked { reason }) => {
            let params = AgentBlockedParams { target, reference: None, reason, idempotency_key: Some(key()) };
            Ok(reported(app, &connection.change::<agent::AgentBlocked>(&params)?))
        }
        Agent::Create(AgentCreate { objective, max_rounds }) => {
            let params = CreateParams {
                target,
                objective: text(objective)?,
                agent: None,
                max_rounds,
                checks: Vec::new(),
                workspace_use: WorkspaceUse::Alone,
                replaces: None,
                caller: None,
                idempotency_key: Some(key()),
            };
            Ok(show(app, "created", &connection.change::<create::Create>(&params)?))
        }
        Agent::Edit(AgentEdit { objective }) => {
            let reference = required(&status(&mut connection, &target)?)?;
            let params = EditParams {
                target,
                reference,
                objective: Some(ObjectiveText::Inline { text: objective }),
                max_rounds: None,
                checks: None,
                idempotency_key: Some(key()),
            };
            Ok(show(app, "edited", &connection.change::<edit::Edit>(&params)?))
        }
        Agent::Pause => {
            let reference = Some(required(&status(&mut connection, &target)?)?);
            let params = PauseParams { target, reference, when: PauseWhen::Now, idempotency_key: Some(key()) };
            Ok(show(app, "paused", &connection.change::<pause::Pause>(&params)?))
        }
        Agent::Resume => {
            let reference = required(&status(&mut connection, &target)?)?;
            let params = ResumeParams { target, reference, caller: None, idempotency_key: Some(key()) };
            Ok(show(app, "resumed", &connection.change::<resume::Resume>(&params)?))
        }
    }
}

fn reported(app: &App, reply: &ClaimReply) -> Exit {
    if app.common.json {
        print::json(reply);
    } else {
        print::line(&reply.instruction);
    }
    Exit::Done
}
