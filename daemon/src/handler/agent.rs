//! `agent.complete`, `agent.blocked`. What an agent says is recorded without known keys.

use super::change::{Extras, ask, existing};
use crate::redact;
use crate::server::Client;
use goald_core::Command;
use goald_schema::WireError;
use goald_schema::event::Claim;
use goald_schema::goal::GoalRef;
use goald_schema::protocol::agent::{AgentBlockedParams, AgentCompleteParams, ClaimReply};
use goald_schema::protocol::target::Target;

/// Records a claim of completion.
pub async fn complete(client: &Client, params: AgentCompleteParams) -> Result<ClaimReply, WireError> {
    let AgentCompleteParams { target, reference, summary, artifacts, unverified, idempotency_key } = params;
    let clean = |texts: Vec<String>| texts.iter().map(|text| redact::text(text)).collect();
    let claim =
        Claim::Complete { summary: redact::text(&summary), artifacts: clean(artifacts), unverified: clean(unverified) };
    let instruction = "Recorded. Now sum up for the person: the outcome, the evidence, what to look at. Then end your \
                       turn: the goal's criteria decide when it has ended.";
    report(client, &target, reference, claim, idempotency_key, instruction).await
}

/// Records a claim of being blocked.
pub async fn blocked(client: &Client, params: AgentBlockedParams) -> Result<ClaimReply, WireError> {
    let AgentBlockedParams { target, reference, reason, idempotency_key } = params;
    let claim = Claim::Blocked { reason: redact::text(&reason) };
    let instruction = "Recorded. Now end your turn: it takes effect when the turn has ended.";
    report(client, &target, reference, claim, idempotency_key, instruction).await
}

async fn report(
    client: &Client,
    target: &Target,
    reference: Option<GoalRef>,
    claim: Claim,
    key: Option<String>,
    instruction: &str,
) -> Result<ClaimReply, WireError> {
    let session = existing(client, target).await?;
    let command = Command::Claim { reference, claim };
    let granted = ask(client, &session, command, Extras { key, ..Extras::default() }).await?;
    Ok(ClaimReply { instruction: instruction.to_owned(), status: granted.view.status.clone() })
}
