//! The simulated shell: it carries out what the core asks for as slowly, as late and as unluckily as a real one may.

use super::invariants::Invariants;
use super::op::{Ask, End, Op, Seen, Who};
use crate::fixture::{
    blob, blocked_claim, broken, complete_claim, criterion, draft, failed, opened, plain_goal, result, wall,
};
use crate::session::Session;
use goald_core::command::{AttemptReport, CheckReport, Create, Driver, Patch, SayWhen};
use goald_core::live::{CheckRun, Signal};
use goald_core::next_step::Why;
use goald_core::{Command, State, Step, evolve};
use goald_schema::actor::{Actor, OtherWhy};
use goald_schema::event::{AttemptStarted, CancelCause, Delivered, FailureKind, Outcome, TimeoutKind};
use goald_schema::goal::{BlockedReason, GoalRef};
use goald_schema::id::{AttemptId, GoalId, MessageId};
use goald_schema::number::Revision;
use goald_schema::protocol::pause::PauseWhen;
use goald_schema::reason::Known;
use uuid::Uuid;

pub struct World {
    pub session: Session,
    pub invariants: Invariants,
    /// The log, folded once more on the side.
    replayed: State,
    /// A guard that waits for `attempt/started` to be durable, and the step it was made for.
    starting: Option<(Step, AttemptStarted)>,
    late_start: Option<AttemptStarted>,
    checking: Option<CheckReport>,
    late_check: Option<CheckReport>,
    last_attempt: AttemptId,
}

impl World {
    pub fn new() -> Self {
        Self {
            session: Session::new(),
            invariants: Invariants::default(),
            replayed: State::default(),
            starting: None,
            late_start: None,
            checking: None,
            late_check: None,
            last_attempt: AttemptId::from_uuid(Uuid::from_u128(3)),
        }
    }

    pub fn happen(&mut self, op: Op) {
        match op {
            Op::Ask(who, ask, seen) => self.ask(who, ask, seen),
            Op::Step => self.step(),
            Op::Steps(count) => (0..count).for_each(|_| self.step()),
            Op::LateStart => {
                if let Some(started) = self.late_start.clone() {
                    self.tell(&Actor::Driver, Command::Driver(Driver::Started(Box::new(started))));
                }
            }
            Op::LateCheck => {
                if let Some(report) = self.late_check.clone() {
                    self.tell(&Actor::Driver, Command::Driver(Driver::Checked(Box::new(report))));
                }
            }
            Op::EndAttempt(end) => self.end_attempt(end),
            Op::EndCheck { met, broken } => self.end_check(met, broken),
            Op::CheckGone => {
                if self.session.live.check == CheckRun::Ending {
                    self.session.live.signal(Signal::CheckGone);
                }
            }
            Op::CannotStart => {
                let reason = BlockedReason { code: Known::QueueFailed.into(), message: "no program".to_owned() };
                self.tell(&Actor::Driver, Command::Driver(Driver::CannotStart(reason)));
            }
            Op::Time { mono, wall: moved } => {
                self.session.now.mono = self.session.now.mono.plus(mono);
                self.session.now.wall = wall(self.session.now.wall.millis() + moved);
            }
            Op::Restart => self.restart(),
            Op::StopDaemon => self.disarm(CancelCause::DaemonStop),
            Op::DiskFull => self.disarm(CancelCause::StoreFailed),
        }
        let step = self.session.step();
        self.invariants.quiet_means_quiet(&step, self.session.live.check != CheckRun::None);
    }

    /// One command is one append.
    fn tell(&mut self, actor: &Actor, command: Command) {
        let from = self.session.log.len();
        // Refused or not: what counts is what is recorded.
        let _ = self.session.ask(actor, command);
        let append = &self.session.log[from..];
        self.invariants.append(append);
        for (at, fact) in append {
            assert_eq!(evolve(&mut self.replayed, fact, *at), Ok(()));
        }
        assert_eq!(self.replayed, self.session.state, "the replayed log is the live state");
        if let Some(open) = &self.session.state.attempt {
            self.last_attempt = open.id();
        }
    }

    fn ask(&mut self, who: Who, ask: Ask, seen: Seen) {
        let open = self.session.state.attempt.as_deref().map(goald_core::state::OpenAttempt::id);
        let actor = match who {
            Who::Human => Actor::Human,
            Who::Agent => Actor::Agent { attempt: open.unwrap_or(self.last_attempt) },
            Who::DeadAgent => Actor::Agent { attempt: AttemptId::from_uuid(Uuid::from_u128(4)) },
            Who::Policy => Actor::Policy,
            Who::Other => Actor::Other { why: OtherWhy::BelowDaemon },
        };
        let stale = self.is_stale(ask, seen);
        let from = self.session.log.len();
        let command = self.command(ask, seen);
        self.tell(&actor, command);
        let changed =
            self.session.kinds_since(from).iter().any(|kind| ["goal/change", "pause/requested"].contains(kind));
        assert!(!stale || !changed, "{ask:?} with a stale ref changed something");
    }

    /// Whether the command carries a ref that is not the current goal's.
    fn is_stale(&self, ask: Ask, seen: Seen) -> bool {
        let current = self.session.state.current.as_ref();
        let carries = match ask {
            // Without an unfinished goal there is nothing to replace, whatever was seen.
            Ask::Create { replace, .. } => replace && current.is_some_and(|current| !current.is_complete()),
            Ask::ClaimComplete | Ask::ClaimBlocked | Ask::Say | Ask::SayNow => false,
            _ => current.is_some(),
        };
        carries && !matches!(seen, Seen::Current)
    }

    fn command(&mut self, ask: Ask, seen: Seen) -> Command {
        let elsewhere = GoalRef { id: GoalId::from_uuid(Uuid::from_u128(9)), revision: Revision(1) };
        let current = self.session.state.current.as_ref().map(|current| current.goal.reference());
        let moved = |revision: u64| current.map(|current| GoalRef { revision: Revision(revision), ..current });
        let at = current.map_or(1, |current| current.revision.get());
        let seen = match seen {
            Seen::Current => current,
            Seen::Older => moved(at.saturating_sub(1)),
            Seen::Newer => moved(at + 1),
            Seen::OtherGoal => Some(elsewhere),
            Seen::Nothing => None,
        };
        let reference = seen.unwrap_or(elsewhere);
        let edit = |patch| Command::Edit { reference, patch };
        let checks = |count| ["c1", "c2"].into_iter().take(count).map(criterion).collect();
        match ask {
            Ask::Create { rounds, criteria, replace, workspace_use } => {
                let id = self.session.fresh().as_u128();
                let replaces = seen.filter(|_| replace);
                let criteria = checks(criteria);
                Command::Create(Box::new(Create { criteria, replaces, workspace_use, ..plain_goal(id, rounds) }))
            }
            Ask::EditObjective => {
                let text = format!("objective {}", self.session.log.len() % 3);
                edit(Patch { objective: Some(draft(&text)), ..Patch::default() })
            }
            Ask::EditRounds(rounds) => edit(Patch { max_rounds: Some(rounds), ..Patch::default() }),
            Ask::EditCriteria(count) => edit(Patch { criteria: Some(checks(count)), ..Patch::default() }),
            Ask::Pause => Command::Pause { reference: seen, when: PauseWhen::Now },
            Ask::PauseAfterRound => Command::Pause { reference: seen, when: PauseWhen::AfterRound },
            Ask::Resume => Command::Resume { reference },
            Ask::Complete => Command::Complete { reference },
            Ask::Block => {
                Command::Block { reference, code: "human-reported".to_owned(), message: "not now".to_owned() }
            }
            Ask::Clear => Command::Clear { reference: seen },
            Ask::ClaimComplete => Command::Claim { reference: seen, claim: complete_claim() },
            Ask::ClaimBlocked => Command::Claim { reference: seen, claim: blocked_claim() },
            Ask::Say | Ask::SayNow => {
                let message = MessageId::from_uuid(self.session.fresh());
                let when = if matches!(ask, Ask::SayNow) { SayWhen::Now } else { SayWhen::Next };
                Command::Say { message, text: blob(), when, open: opened() }
            }
        }
    }

    /// One step of the shell, as the contract says.
    pub fn step(&mut self) {
        let step = self.session.step();
        self.drop_stale(&step);
        let idle = matches!(step, Step::Sleep { .. } | Step::Nothing(Why::Disarmed | Why::Stopping));
        if idle && self.session.live.check != CheckRun::Ending {
            self.session.live.signal(Signal::SlotReleased);
        }
        match &step {
            Step::Nothing(_) => {}
            Step::Sleep { until } => {
                let slept = until.0.saturating_sub(self.session.now.mono.0);
                self.session.now.mono = *until;
                self.session.now.wall = self.session.now.wall.plus_millis(slept);
            }
            Step::Acquire(_) => self.session.live.signal(Signal::SlotGranted),
            Step::Pause | Step::Block(_) | Step::AdmitRound { .. } => {
                self.tell(&Actor::Driver, Command::Driver(Driver::Carry(step)));
            }
            Step::Recover { attempt } => self.report(*attempt, Outcome::Lost, Delivered::Unknown),
            Step::StartRound { .. } | Step::DeliverMessages { .. } => {
                if let Some((_, started)) = self.starting.take() {
                    self.tell(&Actor::Driver, Command::Driver(Driver::Started(Box::new(started))));
                } else {
                    let started = self.session.started(&step).expect("the step starts an attempt");
                    self.starting = Some((step, started));
                }
            }
            Step::Verify { .. } => {
                if self.checking.is_none() {
                    self.checking = Some(self.session.check_report(Vec::new()));
                    self.session.live.signal(Signal::CheckStarted);
                }
            }
        }
    }

    fn drop_stale(&mut self, step: &Step) {
        if self.starting.as_ref().is_some_and(|(of, _)| of != step) {
            self.late_start = self.starting.take().map(|(_, started)| started);
        }
        let wanted = |report: &CheckReport| *step == Step::Verify { attempt: report.attempt };
        if self.checking.as_ref().is_some_and(|report| !wanted(report)) {
            self.late_check = self.checking.take().map(|report| self.results(report, true, false));
            self.session.live.signal(Signal::CheckCancelled);
        }
    }

    fn results(&self, mut report: CheckReport, met: bool, cannot_run: bool) -> CheckReport {
        let criteria = self.session.state.current.iter().flat_map(|current| &current.goal.criteria);
        let checked = |id: &str| if cannot_run { broken(id) } else { result(id, met) };
        report.results = criteria.map(|criterion| checked(&criterion.id.0)).collect();
        report
    }

    pub fn end_attempt(&mut self, end: End) {
        let Some(attempt) = self.session.live.running else { return };
        let cancelling = self.session.live.cancelling;
        let outcome = match (end, cancelling) {
            (End::Cut, None) => return,
            (End::Cut, Some(cause)) => Outcome::Interrupted { cause },
            (End::Well, _) => Outcome::Completed,
            (End::Transient, _) => failed(FailureKind::Transient),
            (End::ContextFull, _) => failed(FailureKind::ContextExhausted),
            (End::ForGood, _) => failed(FailureKind::AuthRequired),
            (End::OutputLimit, _) => failed(FailureKind::OutputLimit),
            (End::Timeout, _) => Outcome::Timeout { bound: TimeoutKind::Idle },
            (End::Lost, _) => Outcome::Lost,
        };
        self.report(attempt, outcome, Delivered::Yes);
    }

    fn report(&mut self, attempt: AttemptId, outcome: Outcome, delivered: Delivered) {
        let (usage, agent_session, final_text) = (None, None, None);
        let report = AttemptReport { attempt, outcome, delivered, usage, worked_ms: 5, agent_session, final_text };
        self.tell(&Actor::Driver, Command::Driver(Driver::Ended(Box::new(report))));
    }

    pub fn end_check(&mut self, met: bool, cannot_run: bool) {
        // The shell looks at what is asked for before it takes the result.
        let step = self.session.step();
        self.drop_stale(&step);
        if let Some(report) = self.checking.take() {
            let report = self.results(report, met, cannot_run);
            self.session.live.signal(Signal::CheckDone);
            self.tell(&Actor::Driver, Command::Driver(Driver::Checked(Box::new(report))));
        }
    }

    fn disarm(&mut self, cause: CancelCause) {
        self.session.live.signal(Signal::Disarm(cause));
        self.invariants.disarmed(cause);
    }

    fn restart(&mut self) {
        (self.starting, self.checking) = (None, None);
        let before = self.session.state.clone();
        self.session.restart();
        assert_eq!(self.session.state, before, "a restart changes nothing durable");
        assert!(!self.session.live.is_armed(), "activation does not survive a restart");
        self.invariants.restarted();
    }

    /// With an agent that always ends its turn and checks that never pass, every history comes to rest.
    pub fn comes_to_rest(&mut self) {
        for _ in 0..400 {
            match self.session.step() {
                Step::Nothing(Why::Disarmed | Why::Stopping) => return,
                Step::Nothing(Why::Running) => self.end_attempt(End::Well),
                Step::Nothing(Why::Ending(Some(_))) => self.end_attempt(End::Cut),
                Step::Nothing(Why::Ending(None)) => {
                    self.step();
                    self.happen(Op::CheckGone);
                }
                Step::Verify { .. } => {
                    self.step();
                    self.end_check(false, false);
                }
                _ => self.step(),
            }
        }
        panic!("400 steps and no rest: {:?}", self.session.step());
    }
}
