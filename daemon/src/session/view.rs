//! How a session stands, for everyone who looks: the one source of what is shown about state.

use super::task::{Activity, Task};
use crate::attempt::OutputState;
use goald_core::live::CheckRun;
use goald_core::state::{Current, OpenAttempt, Retry, State};
use goald_core::{Step, next_step};
use goald_schema::actor::Actor;
use goald_schema::event::{Claim, SessionOpened, Turn, VerdictResult};
use goald_schema::goal::Phase;
use goald_schema::id::AttemptId;
use goald_schema::number::{AttemptNumber, Position};
use goald_schema::protocol::status::{
    Activation, AttemptView, CriterionView, GoalView, LastResult, QueuedView, RefusalView, RefusalsView, RetryView,
    SessionState, SessionView, Status, VerdictView, Verification,
};
use goald_schema::protocol::wait::GoalOutcome;
use std::collections::VecDeque;
use std::path::PathBuf;
use tokio::sync::watch;

/// A session at one moment.
#[derive(Clone, Debug)]
pub struct View {
    /// As shown.
    pub status: Status,
    /// The session's own facts; none before it is opened.
    pub opened: Option<SessionOpened>,
    /// Whether an attempt of an earlier daemon is still to be closed.
    pub recovering: bool,
}

/// The outputs of a session's newest attempts of this daemon, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// How many older ones are no longer among them.
    pub dropped: u64,
    /// The newest, the running one last.
    pub newest: VecDeque<RunningOutput>,
}

impl Outputs {
    /// How many are kept: a reader that falls further behind misses some.
    const KEPT: usize = 64;

    /// Adds one.
    pub fn push(&mut self, output: RunningOutput) {
        self.newest.push_back(output);
        while self.newest.len() > Self::KEPT {
            self.newest.pop_front();
            self.dropped = self.dropped.saturating_add(1);
        }
    }
}

/// The output of one attempt.
#[derive(Clone, Debug)]
pub struct RunningOutput {
    /// Where its start stands in the log.
    pub started: Position,
    /// Whose.
    pub attempt: AttemptId,
    /// The file.
    pub path: PathBuf,
    /// How much is there, and whether more will come.
    pub state: watch::Receiver<OutputState>,
}

impl Default for View {
    fn default() -> Self {
        Self { status: nothing(), opened: None, recovering: false }
    }
}

/// The status where there is no session.
pub fn nothing() -> Status {
    Status {
        session: None,
        goal: None,
        activation: Activation::Disarmed,
        attempt: None,
        queued: Vec::new(),
        pause_requested: false,
        denied_tools: Vec::new(),
        refusals: RefusalsView::default(),
        holds: Vec::new(),
        questions: Vec::new(),
        verification: Verification::None,
        last_verdict: None,
        retry: None,
        store_damage: None,
        position: Position(0),
    }
}

impl View {
    /// How the goal stopped; none while rounds may start.
    pub fn outcome(&self) -> Option<GoalOutcome> {
        use goald_schema::goal::PhaseName;
        match self.status.goal.as_ref().map(|goal| goal.phase) {
            None => Some(GoalOutcome::Cleared),
            Some(PhaseName::Complete) => Some(GoalOutcome::Complete),
            Some(PhaseName::Blocked) => Some(GoalOutcome::Blocked),
            Some(PhaseName::Paused) => Some(GoalOutcome::Paused),
            Some(PhaseName::Active) if self.status.activation == Activation::Armed => None,
            Some(PhaseName::Active) => Some(GoalOutcome::NeedsResume),
        }
    }
}

impl Task {
    /// The session as it stands now.
    pub(super) fn look(&mut self) -> View {
        let now = self.shared.clock.now();
        let state = self.session_state(&next_step(&self.state, &self.live, now));
        if state != self.shown.0 {
            self.shown = (state, now.wall);
        }
        let session = self.state.opened.as_ref().map(|opened| SessionView {
            id: self.id,
            name: opened.name.clone(),
            workspace: opened.workspace.clone(),
            agent: agent_name(&self.state, opened),
            state,
            since: self.shown.1,
        });
        let current = self.state.current.as_ref();
        let has_criteria = current.is_some_and(|current| !current.goal.criteria.is_empty());
        let status = Status {
            session,
            goal: current.map(goal),
            activation: self.live.activation,
            attempt: self.state.attempt.as_deref().filter(|_| self.live.running.is_some()).map(attempt),
            queued: self.state.queue.iter().map(|queued| QueuedView { id: queued.id, at: queued.at }).collect(),
            pause_requested: current.is_some_and(|current| current.pause_requested),
            verification: if has_criteria { Verification::Criteria } else { Verification::None },
            last_verdict: current.and_then(verdict),
            retry: self.retry(),
            refusals: refusals(&self.state),
            position: self.position,
            ..nothing()
        };
        let recovering = self.state.attempt.is_some() && self.live.running.is_none() && self.unrecorded.is_none();
        View { status, opened: self.state.opened.clone(), recovering }
    }

    /// The first state that fits (`docs/protocol.md`, "Status").
    fn session_state(&self, step: &Step) -> SessionState {
        let unfinished = self.state.current.as_ref().is_some_and(|current| !current.is_complete());
        if self.live.cancelling.is_some() || self.live.check == CheckRun::Ending {
            SessionState::Stopping
        } else if self.live.check == CheckRun::Running {
            SessionState::Verifying
        } else if self.live.running.is_some() || matches!(self.activity, Activity::Starting { .. }) {
            SessionState::Running
        } else if matches!(step, Step::Sleep { .. }) {
            SessionState::BackingOff
        } else if matches!(step, Step::Acquire(_)) {
            SessionState::Waiting
        } else if unfinished && !self.live.is_armed() {
            SessionState::Stopped
        } else {
            SessionState::Idle
        }
    }

    fn retry(&self) -> Option<RetryView> {
        let open = self.state.current.as_ref().and_then(|current| current.round.as_ref());
        let of_round = open.and_then(|open| Some((open.retry.as_ref()?, open.next_number())));
        let attempts = self.state.queue.iter().map(|queued| queued.attempts).max().unwrap_or(0);
        let of_queue = self.state.queue_retry.as_ref().map(|retry| (retry, AttemptNumber(attempts.saturating_add(1))));
        let view = |(retry, n): (&Retry, AttemptNumber)| RetryView { at: retry.at, n, failure: retry.failure.clone() };
        of_queue.or(of_round).map(view)
    }
}

fn agent_name(state: &State, opened: &SessionOpened) -> String {
    let unfinished = state.current.as_ref().filter(|current| !current.is_complete());
    unfinished.map_or(&opened.profile, |current| &current.goal.agent).name.clone()
}

fn attempt(open: &OpenAttempt) -> AttemptView {
    let round = match open.started.turn {
        Turn::Round { round } => Some(round),
        Turn::Messages { .. } => None,
    };
    AttemptView { id: open.id(), round, n: open.started.number, started_at: open.at }
}

fn refusals(state: &State) -> RefusalsView {
    let last = state.refusals.last.as_ref().map(|last| RefusalView {
        at: last.at,
        operation: last.operation,
        why: match &last.actor {
            Actor::Other { why } => why.as_str(),
            Actor::Agent { .. } => "agent",
            Actor::Human => "human",
            Actor::Driver | Actor::Verifier | Actor::Policy => "daemon",
        }
        .to_owned(),
    });
    RefusalsView { count: state.refusals.count, last }
}

fn goal(current: &Current) -> GoalView {
    let goal = &current.goal;
    let (blocked_reason, completed) = match &goal.phase {
        Phase::Blocked(reason) => (Some(reason.clone()), None),
        Phase::Complete(how) => (None, Some(*how)),
        Phase::Active | Phase::Paused => (None, None),
    };
    GoalView {
        id: goal.id,
        revision: goal.revision,
        content_revision: goal.content_revision,
        objective: goal.objective.text.clone(),
        objective_bytes: goal.objective.whole.as_ref().map(|whole| whole.bytes),
        phase: goal.phase.name(),
        blocked_reason,
        completed,
        rounds_started: current.rounds_started,
        max_goal_rounds: goal.max_goal_rounds,
        criteria: goal.criteria.iter().map(|criterion| criterion_view(current, criterion)).collect(),
        limits: goal.limits,
        workspace_use: goal.policy.workspace_use,
        usage: current.usage,
        worked_ms: current.worked_ms,
        summary: current.last_claim.as_ref().map(|claim| match claim {
            Claim::Complete { summary, .. } => summary.clone(),
            Claim::Blocked { reason } => reason.clone(),
        }),
        created_at: current.created_at,
        updated_at: current.updated_at,
    }
}

/// A criterion with its last result, unless its content changed since.
fn criterion_view(current: &Current, criterion: &goald_schema::criterion::Criterion) -> CriterionView {
    let last =
        current.last_verdict.as_ref().filter(|(_, verdict)| verdict.content_revision == current.goal.content_revision);
    let last = last.and_then(|(at, verdict)| {
        let result = verdict.results.iter().find(|result| result.criterion == criterion.id)?;
        Some(LastResult { met: result.met, exit_code: result.exit_code, at: *at })
    });
    CriterionView { id: criterion.id.clone(), check: criterion.check.clone(), last }
}

fn verdict(current: &Current) -> Option<VerdictView> {
    let (at, verdict) = current.last_verdict.as_ref()?;
    Some(VerdictView {
        attempt: verdict.attempt,
        content_revision: verdict.content_revision,
        met: verdict.result == VerdictResult::Met,
        result: verdict.result,
        results: verdict.results.clone(),
        at: *at,
    })
}
