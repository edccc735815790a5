//! Everything that can be asked of a session, by people and agents and by the daemon's own driver.

use crate::clock::Now;
use crate::next_step::Step;
use crate::objective::Draft;
use goald_schema::criterion::{Criterion, CriterionResult};
use goald_schema::event::{AttemptStarted, Claim, Delivered, Outcome, SessionOpened};
use goald_schema::goal::{BlockedReason, GoalRef, Limits, Policy, WorkspaceUse};
use goald_schema::id::{AttemptId, BlobHash, GoalId, MessageId};
use goald_schema::number::Revision;
use goald_schema::protocol::pause::PauseWhen;
use goald_schema::usage::Usage;

/// What the shell brings along: time, dice, and the configuration that a new goal freezes.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Both clocks.
    pub now: Now,
    /// A random number, for jitter.
    pub dice: u64,
    /// The configuration's thresholds: frozen into new goals, and used for message turns without a goal.
    pub policy: &'a Policy,
    /// The configuration's bound on rounds.
    pub default_max_rounds: u32,
}

/// A command to a session.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Create a goal.
    Create(Box<Create>),
    /// Change the current goal.
    Edit {
        /// The goal as the caller saw it.
        reference: GoalRef,
        /// What changes.
        patch: Patch,
    },
    /// Pause, or stop a message turn.
    Pause {
        /// The goal as the caller saw it; none where it saw none.
        reference: Option<GoalRef>,
        /// Now or at the round's end.
        when: PauseWhen,
    },
    /// Let rounds start again.
    Resume {
        /// The goal as the caller saw it.
        reference: GoalRef,
    },
    /// Complete without a claim.
    Complete {
        /// The goal as the caller saw it.
        reference: GoalRef,
    },
    /// Block without a claim.
    Block {
        /// The goal as the caller saw it.
        reference: GoalRef,
        /// Lower-kebab-case.
        code: String,
        /// In words.
        message: String,
    },
    /// Take the goal away, or stop a message turn.
    Clear {
        /// The goal as the caller saw it; none where it saw none.
        reference: Option<GoalRef>,
    },
    /// An agent's report.
    Claim {
        /// The goal as the agent saw it; none: as its attempt was given.
        reference: Option<GoalRef>,
        /// What it says.
        claim: Claim,
    },
    /// A human's message.
    Say {
        /// Its id.
        message: MessageId,
        /// Its text.
        text: BlobHash,
        /// Whether it waits for the end of what runs.
        when: SayWhen,
        /// Opens the session where there is none.
        open: SessionOpened,
    },
    /// The daemon's own.
    Driver(Driver),
}

/// When a message is delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SayWhen {
    /// When what runs has ended.
    Next,
    /// At once: what runs is interrupted.
    Now,
}

/// A goal to be created.
#[derive(Clone, PartialEq, Debug)]
pub struct Create {
    /// A fresh id.
    pub id: GoalId,
    /// Opens the session where there is none; its profile becomes the goal's agent.
    pub open: SessionOpened,
    /// What must be true.
    pub objective: Draft,
    /// A bound on rounds; none: the configuration's.
    pub max_rounds: Option<u32>,
    /// Conditions of completion.
    pub criteria: Vec<Criterion>,
    /// Limits beside the rounds.
    pub limits: Limits,
    /// Whether it works beside others in its workspace.
    pub workspace_use: WorkspaceUse,
    /// The unfinished goal that this one takes the place of.
    pub replaces: Option<GoalRef>,
}

/// Changes to a goal: what is absent stays.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Patch {
    /// Another objective.
    pub objective: Option<Draft>,
    /// Another bound on rounds.
    pub max_rounds: Option<u32>,
    /// Other criteria, all of them.
    pub criteria: Option<Vec<Criterion>>,
}

/// What the daemon's own driver reports. Each counts only while the state asks for it.
#[derive(Clone, PartialEq, Debug)]
pub enum Driver {
    /// A step without effects of its own is to be recorded: pause, block, admit.
    Carry(Step),
    /// A guard holds an agent that may start as soon as this is durable.
    Started(Box<AttemptStarted>),
    /// The agent could not be started at all: no guard, no workspace.
    CannotStart(BlockedReason),
    /// An attempt is over.
    Ended(Box<AttemptReport>),
    /// Criteria were checked.
    Checked(Box<CheckReport>),
}

/// How an attempt ended, as the shell saw it.
#[derive(Clone, PartialEq, Debug)]
pub struct AttemptReport {
    /// Which.
    pub attempt: AttemptId,
    /// How.
    pub outcome: Outcome,
    /// Whether the prompt reached the agent.
    pub delivered: Delivered,
    /// What it used.
    pub usage: Option<Usage>,
    /// How long it worked, in milliseconds.
    pub worked_ms: u64,
    /// The agent's own session.
    pub agent_session: Option<String>,
    /// The agent's last words.
    pub final_text: Option<BlobHash>,
}

/// What checking a turn gave.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckReport {
    /// The turn's attempt.
    pub attempt: AttemptId,
    /// The goal that was checked.
    pub goal: GoalId,
    /// The content that was checked.
    pub content_revision: Revision,
    /// Results, in the order of the criteria, as far as they were checked.
    pub results: Vec<CriterionResult>,
    /// How long it took, in milliseconds.
    pub worked_ms: u64,
}
