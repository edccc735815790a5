//! `wait`.

use super::change::existing;
use crate::server::Client;
use crate::session::{SessionHandle, View};
use goald_schema::protocol::wait::{GoalOutcome, WaitMode, WaitParams, WaitReply, Waited};
use goald_schema::{ErrorCode, WireError};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// At most this many sessions.
const MOST: usize = 1000;

/// Answers when the goals no longer run.
pub async fn handle(client: &Client, params: WaitParams) -> Result<WaitReply, WireError> {
    if params.targets.is_empty() {
        return Err(WireError::new(ErrorCode::InvalidValue, "there is nothing to wait for"));
    }
    if params.targets.len() > MOST {
        return Err(WireError::new(
            ErrorCode::InvalidValue,
            format!("at most {MOST} sessions can be waited for at once"),
        )
        .hint("wait for them in several requests"));
    }
    let WaitParams { targets, mode, timeout_ms } = params;
    let mut sessions = Vec::new();
    for target in targets {
        sessions.push(existing(client, &target).await?);
    }
    let stopped = all_or_any(sessions, mode);
    let Some(millis) = timeout_ms else { return Ok(WaitReply { stopped: stopped.await }) };
    match tokio::time::timeout(Duration::from_millis(millis), stopped).await {
        Ok(stopped) => Ok(WaitReply { stopped }),
        Err(_) => Err(WireError::new(ErrorCode::TimedOut, format!("not stopped within {millis} ms"))
            .hint("the goals go on; goal status says where they stand")),
    }
}

async fn all_or_any(sessions: Vec<SessionHandle>, mode: WaitMode) -> Vec<Waited> {
    let mut waits = JoinSet::new();
    for (index, session) in sessions.into_iter().enumerate() {
        waits.spawn(async move { (index, outcome(&session).await) });
    }
    let mut stopped = Vec::new();
    while let Some(done) = waits.join_next().await {
        if let Ok((index, (outcome, view))) = done {
            stopped.push((index, Waited { outcome, status: view.status.clone() }));
            if mode == WaitMode::Any {
                break;
            }
        }
    }
    stopped.sort_by_key(|(index, _)| *index);
    stopped.into_iter().map(|(_, waited)| waited).collect()
}

async fn outcome(session: &SessionHandle) -> (GoalOutcome, Arc<View>) {
    let mut views = session.view();
    loop {
        let view = views.borrow_and_update().clone();
        if let Some(outcome) = view.outcome() {
            return (outcome, view);
        }
        if views.changed().await.is_err() {
            // The daemon ends: nothing of it runs any more.
            return (GoalOutcome::NeedsResume, view);
        }
    }
}
