//! A session with the smallest shell around it: it decides, folds, and carries out the steps that the core names. What
//! real shells do with processes is here a method that a test calls.

use crate::fixture::{DEFAULT_ROUNDS, blob, guard, opened, policy, wall};
use goald_core::command::{AttemptReport, CheckReport, Create, Driver, Patch, SayWhen};
use goald_core::decide::Reply;
use goald_core::live::{CheckRun, Signal};
use goald_core::next_step::Why;
use goald_core::{Command, Context, Fact, Live, Mono, Now, State, Step, decide, evolve, next_step};
use goald_schema::actor::Actor;
use goald_schema::criterion::CriterionResult;
use goald_schema::event::{AttemptStarted, CancelCause, Claim, Delivered, Event, Given, Outcome, Turn};
use goald_schema::goal::{GoalRef, Phase, Policy};
use goald_schema::id::{AttemptId, MessageId};
use goald_schema::number::{AttemptNumber, Round};
use goald_schema::protocol::pause::PauseWhen;
use goald_schema::{ErrorCode, Timestamp};
use uuid::Uuid;

/// One session of one daemon, which can be restarted.
pub struct Session {
    pub state: State,
    pub live: Live,
    pub log: Vec<(Timestamp, Fact)>,
    pub now: Now,
    policy: Policy,
    ids: u128,
}

impl Session {
    pub fn new() -> Self {
        Self {
            state: State::default(),
            live: Live::default(),
            log: Vec::new(),
            now: Now { wall: wall(1_800_000_000_000), mono: Mono(0) },
            policy: policy(),
            ids: 1_000,
        }
    }

    /// A session whose goal was created just now.
    pub fn with_goal(create: Create) -> Self {
        let mut session = Self::new();
        assert_eq!(session.human(Command::Create(Box::new(create))), Ok(Reply::Done));
        session
    }

    /// Decides and folds, as one append.
    pub fn ask(&mut self, actor: &Actor, command: Command) -> Result<Reply, ErrorCode> {
        let context = Context { now: self.now, dice: 0, policy: &self.policy, default_max_rounds: DEFAULT_ROUNDS };
        let decision = decide(&self.state, &self.live, command, actor, &context);
        for fact in decision.facts {
            let folded = evolve(&mut self.state, &fact, self.now.wall);
            assert_eq!(folded, Ok(()), "a decision can be folded: {fact:?}");
            self.live.observe(&self.state, &fact, self.now);
            self.log.push((self.now.wall, fact));
        }
        decision.answer.map_err(|error| error.code)
    }

    pub fn human(&mut self, command: Command) -> Result<Reply, ErrorCode> {
        self.ask(&Actor::Human, command)
    }

    /// Asks as the agent of the attempt that is open.
    pub fn agent(&mut self, command: Command) -> Result<Reply, ErrorCode> {
        let actor = self.agent_actor();
        self.ask(&actor, command)
    }

    pub fn agent_actor(&self) -> Actor {
        Actor::Agent { attempt: self.state.attempt.as_ref().expect("an attempt is open").id() }
    }

    pub fn driver(&mut self, driver: Driver) -> Result<Reply, ErrorCode> {
        self.ask(&Actor::Driver, Command::Driver(driver))
    }

    /// The current goal's ref.
    pub fn reference(&self) -> GoalRef {
        self.state.current.as_ref().expect("a goal is current").goal.reference()
    }

    pub fn pause(&mut self) -> Result<Reply, ErrorCode> {
        let reference = self.state.current.as_ref().map(|current| current.goal.reference());
        self.human(Command::Pause { reference, when: PauseWhen::Now })
    }

    pub fn pause_after_round(&mut self) -> Result<Reply, ErrorCode> {
        let reference = Some(self.reference());
        self.human(Command::Pause { reference, when: PauseWhen::AfterRound })
    }

    pub fn resume(&mut self) -> Result<Reply, ErrorCode> {
        let reference = self.reference();
        self.human(Command::Resume { reference })
    }

    pub fn complete(&mut self) -> Result<Reply, ErrorCode> {
        let reference = self.reference();
        self.human(Command::Complete { reference })
    }

    pub fn block(&mut self) -> Result<Reply, ErrorCode> {
        let reference = self.reference();
        let (code, message) = ("human-reported".to_owned(), "not now".to_owned());
        self.human(Command::Block { reference, code, message })
    }

    pub fn clear(&mut self) -> Result<Reply, ErrorCode> {
        let reference = self.state.current.as_ref().map(|current| current.goal.reference());
        self.human(Command::Clear { reference })
    }

    pub fn edit(&mut self, patch: Patch) -> Result<Reply, ErrorCode> {
        let reference = self.reference();
        self.human(Command::Edit { reference, patch })
    }

    pub fn say(&mut self) -> MessageId {
        self.say_when(SayWhen::Next)
    }

    pub fn say_now(&mut self) -> MessageId {
        self.say_when(SayWhen::Now)
    }

    fn say_when(&mut self, when: SayWhen) -> MessageId {
        let message = MessageId::from_uuid(self.fresh());
        let said = self.human(Command::Say { message, text: blob(), when, open: opened() });
        assert_eq!(said, Ok(Reply::Done));
        message
    }

    pub fn claim(&mut self, claim: Claim) -> Result<Reply, ErrorCode> {
        self.agent(Command::Claim { reference: None, claim })
    }

    pub fn fresh(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(self.ids)
    }

    pub fn step(&self) -> Step {
        next_step(&self.state, &self.live, self.now)
    }

    /// Carries out every step that needs no process, and answers the first that does, or why there is none.
    pub fn settle(&mut self) -> Step {
        loop {
            let step = self.step();
            match &step {
                Step::Acquire(_) => self.live.signal(Signal::SlotGranted),
                Step::Pause | Step::Block(_) | Step::AdmitRound { .. } => {
                    assert_eq!(self.driver(Driver::Carry(step)), Ok(Reply::Done));
                }
                Step::Sleep { .. } | Step::Nothing(Why::Disarmed | Why::Stopping) => {
                    self.live.signal(Signal::SlotReleased);
                    return step;
                }
                _ => return step,
            }
        }
    }

    /// What a shell reports when a guard holds the agent for this step.
    pub fn started(&mut self, step: &Step) -> Option<AttemptStarted> {
        let (turn, number): (Turn, AttemptNumber) = match step {
            Step::StartRound { round, number } => (Turn::Round { round: *round }, *number),
            Step::DeliverMessages { messages, number } => (Turn::Messages { messages: messages.clone() }, *number),
            _ => return None,
        };
        let given = self.state.current.as_ref().map(|current| Given {
            reference: current.goal.reference(),
            content_revision: current.goal.content_revision,
        });
        let attempt = AttemptId::from_uuid(self.fresh());
        let resumes = self.state.agent_session.clone();
        let (prompt, guard, program) = (blob(), guard(), "/bin/agent".to_owned());
        let (version, model, permissions) = (None, None, None);
        Some(AttemptStarted {
            attempt,
            turn,
            number,
            given,
            prompt,
            guard,
            program,
            version,
            model,
            permissions,
            resumes,
        })
    }

    /// Settles, then starts the attempt that is asked for.
    pub fn start(&mut self) -> AttemptId {
        let step = self.settle();
        let started = self.started(&step);
        let started = started.unwrap_or_else(|| panic!("an attempt is asked for, not {step:?}"));
        let attempt = started.attempt;
        assert_eq!(self.driver(Driver::Started(Box::new(started))), Ok(Reply::Done));
        attempt
    }

    /// The open attempt ends.
    pub fn end(&mut self, outcome: Outcome) {
        self.end_delivered(outcome, Delivered::Yes);
    }

    /// The open attempt ends; whether its prompt was read is said.
    pub fn end_delivered(&mut self, outcome: Outcome, delivered: Delivered) {
        let attempt = self.state.attempt.as_ref().expect("an attempt is open").id();
        let report = AttemptReport {
            attempt,
            outcome,
            delivered,
            usage: None,
            worked_ms: 5,
            agent_session: Some("s1".to_owned()),
            final_text: None,
        };
        assert_eq!(self.driver(Driver::Ended(Box::new(report))), Ok(Reply::Done));
    }

    /// The open attempt is cut, as the live state asks for.
    pub fn end_cut(&mut self) {
        let cause: CancelCause = self.live.cancelling.expect("the attempt is being cancelled");
        self.end(Outcome::Interrupted { cause });
    }

    /// A round from start to end that reports nothing.
    pub fn idle_round(&mut self) {
        self.start();
        self.end(Outcome::Completed);
    }

    /// What a shell reports about the turn that waits to be checked.
    pub fn check_report(&self, results: Vec<CriterionResult>) -> CheckReport {
        let turn = self.state.unverified.as_ref().expect("a turn waits to be checked");
        let (attempt, goal, content_revision) = (turn.attempt, turn.goal, turn.content_revision);
        CheckReport { attempt, goal, content_revision, results, worked_ms: 3 }
    }

    /// Checks the turn that waits, with these results.
    pub fn verify(&mut self, results: Vec<CriterionResult>) -> Result<Reply, ErrorCode> {
        let step = self.settle();
        assert!(matches!(step, Step::Verify { .. }), "a check is asked for, not {step:?}");
        self.live.signal(Signal::CheckStarted);
        let report = self.check_report(results);
        self.live.signal(Signal::CheckDone);
        self.driver(Driver::Checked(Box::new(report)))
    }

    /// The daemon dies and another one reads the log.
    pub fn restart(&mut self) {
        self.state = self.replayed();
        self.now.mono = Mono(0);
        self.live = Live::after_replay(&self.state, self.now);
        assert_eq!(self.live.check, CheckRun::None);
    }

    /// The state as the log alone says it.
    pub fn replayed(&self) -> State {
        let mut state = State::default();
        for (at, fact) in &self.log {
            assert_eq!(evolve(&mut state, fact, *at), Ok(()), "the log can be replayed");
        }
        state
    }

    pub fn phase(&self) -> &Phase {
        &self.state.current.as_ref().expect("a goal is current").goal.phase
    }

    /// The code of a blocked goal.
    pub fn blocked_code(&self) -> &str {
        match self.phase() {
            Phase::Blocked(reason) => reason.code.as_str(),
            other => panic!("the goal is blocked, not {other:?}"),
        }
    }

    pub fn rounds(&self) -> u32 {
        self.state.current.as_ref().expect("a goal is current").rounds_started
    }

    /// Rounds that the log admitted, in order.
    pub fn admitted(&self) -> Vec<u32> {
        let admitted = self.log.iter().filter_map(|(_, fact)| match &fact.event {
            Event::RoundAdmitted(admitted) => Some(admitted.round.get()),
            _ => None,
        });
        admitted.collect()
    }

    /// The types of the events since this position of the log.
    pub fn kinds_since(&self, from: usize) -> Vec<&'static str> {
        self.log[from..].iter().map(|(_, fact)| fact.event.kind()).collect()
    }

    /// The step that starts this attempt of this round.
    pub fn start_of(round: u32, number: u32) -> Step {
        Step::StartRound { round: Round(round), number: AttemptNumber(number) }
    }
}
