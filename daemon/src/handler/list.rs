//! `list`.

use crate::server::Client;
use crate::session::View;
use goald_schema::WireError;
use goald_schema::id::SessionId;
use goald_schema::protocol::list::{GoalBrief, ListEntry, ListParams, ListReply};
use goald_schema::protocol::status::{Activation, SessionState, SessionView};

/// At most this many sessions a page: their lines stay well below a frame.
const PAGE: usize = 200;

/// Lists sessions, loading those that nobody has needed yet.
pub async fn handle(client: &Client, params: ListParams) -> Result<ListReply, WireError> {
    let registry = &client.service.registry;
    let (ids, more) = registry.page(params.after, PAGE)?;
    let next = if more { ids.last().copied() } else { None };
    let mut sessions = Vec::new();
    for id in ids {
        let entry = match registry.get(id).await {
            Ok(handle) => entry(&handle.view().borrow()),
            Err(error) => Some(damaged(client, id, &error)),
        };
        // One whose workspace is not known any more may be of any.
        let wanted = |entry: &ListEntry| {
            let workspace = entry.session.workspace.as_str();
            params.workspace.as_ref().is_none_or(|only| only == workspace || workspace.is_empty())
        };
        sessions.extend(entry.filter(wanted));
    }
    Ok(ListReply { sessions, next, store_damage: client.service.shared.store.damage().map(Into::into) })
}

fn entry(view: &View) -> Option<ListEntry> {
    let status = &view.status;
    let goal = status.goal.as_ref().map(|goal| GoalBrief {
        objective: goal.objective.chars().take(200).collect(),
        phase: goal.phase,
        blocked_reason: goal.blocked_reason.clone(),
        completed: goal.completed,
        rounds_started: goal.rounds_started,
        max_goal_rounds: goal.max_goal_rounds,
    });
    Some(ListEntry {
        session: status.session.clone()?,
        goal,
        activation: status.activation,
        queued: u64::try_from(status.queued.len()).unwrap_or(u64::MAX),
        damaged: None,
    })
}

/// A session that cannot be loaded is listed with why; with its id for a name, where that is gone.
fn damaged(client: &Client, id: SessionId, error: &WireError) -> ListEntry {
    let place = client.service.registry.place_of(id);
    let (workspace, name) = place.unwrap_or_else(|| (String::new(), id.to_string()));
    let session = SessionView {
        id,
        name,
        workspace,
        agent: String::new(),
        state: SessionState::Stopped,
        since: client.service.started_at,
    };
    let damaged = Some(error.message.clone());
    ListEntry { session, goal: None, activation: Activation::Disarmed, queued: 0, damaged }
}
