//! The command line, as clap reads it. What a verb does is in `verb/`, in the file of its name.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// Keeps a coding agent working until a goal is really reached.
#[derive(Debug, Parser)]
#[command(name = "goal", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "\
Start with:  goal demo
A first goal: goal run --agent ./my-agent.sh --check 'make test' \"the tests pass\"
Without a verb, goal shows the status of the current folder's goal.

Exit codes: 0 done (run, wait: complete), 1 failed, 2 usage, 3 blocked, 4 paused, cleared or needs
resume, 5 refused, 6 not permitted, 7 daemon not reachable, 8 no such goal or session, 124 timed out, 141 output closed.")]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// What every verb takes.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Work as if started in DIR; the session is that of its workspace (the folder with .git above it, else itself)
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// The session in that workspace
    #[arg(short = 's', long = "session", global = true, value_name = "NAME", default_value = crate::place::DEFAULT_NAME)]
    pub session: String,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// A verb.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show how the goal stands, what happens now, and what is needed from you
    #[command(after_help = "Examples:\n  goal\n  goal -C ../other status --json")]
    Status,
    /// Set a goal and let the agent start on it
    #[command(
        after_help = "Examples:\n  goal create --agent ./agent.sh --check 'cargo test' \"the tests pass\"\n  goal create -F goal.md --max-rounds 20 --follow\n  goal create --replace \"something else\""
    )]
    Create(Create),
    /// Set a goal, follow it, and exit with how it ended
    #[command(
        after_help = "Ctrl-C pauses the goal.\n\nExamples:\n  goal run --check 'make test' \"make test passes\" && git push"
    )]
    Run(Goal),
    /// Change the goal: objective, checks, limits
    #[command(
        after_help = "Examples:\n  goal edit --max-rounds 50\n  goal edit --objective \"the tests and the linter pass\" --check 'make test' --check 'make lint'"
    )]
    Edit(Edit),
    /// Stop the goal; nothing is lost, resume goes on
    #[command(
        visible_alias = "stop",
        after_help = "When this returns, no further prompt reaches the agent.\n\nExamples:\n  goal pause\n  goal pause --after-round"
    )]
    Pause(Pause),
    /// Let the goal go on, with this shell's environment
    #[command(after_help = "Examples:\n  goal resume\n  goal resume --all")]
    Resume(Every),
    /// Take the goal away
    #[command(
        visible_alias = "cancel",
        after_help = "With no goal it does nothing. Files in the workspace stay as they are."
    )]
    Clear,
    /// Say that the goal is reached, whatever the checks say
    #[command(after_help = "With unmet checks this is recorded as an override.")]
    Complete,
    /// Say that the goal cannot be reached as things are
    #[command(after_help = "Examples:\n  goal block --reason \"waiting for the new API key\"")]
    Block(Block),
    /// Send the agent a message; it gets a turn of its own
    #[command(
        after_help = "During a round the message is delivered after it, with --now at once. In a stopped session it permits one turn.\n\nExamples:\n  goal say \"leave the public API as it is\"\n  goal say --now \"stop: wrong branch\"\n  goal say -F notes.md"
    )]
    Say(Say),
    /// List sessions and their goals
    #[command(after_help = "Lists every workspace; with -C only that one.")]
    List,
    /// Show what happened, event by event
    #[command(
        after_help = "Examples:\n  goal log --since 1h\n  goal log --follow --json | jq .type\n  goal log --all --since 1200"
    )]
    Log(Log),
    /// Show the rounds of the goal, or one in detail
    #[command(after_help = "Examples:\n  goal rounds\n  goal rounds 3")]
    Rounds(Rounds),
    /// Show what the agent printed
    #[command(
        after_help = "Without ROUND: the newest attempt, message turns included.\n\nExamples:\n  goal output\n  goal output 3\n  goal output --follow"
    )]
    Output(Output),
    /// Watch the goal live until it stops
    #[command(after_help = "Ctrl-C only stops watching.")]
    Follow,
    /// Wait until goals stop, and exit with how they did
    #[command(
        after_help = "Several goals: the exit code is that of the worst, in the order complete, blocked, stopped.\n\nExamples:\n  goal wait --timeout 2h && deploy\n  goal wait api web --any\n  goal wait --all"
    )]
    Wait(Wait),
    /// Delete what finished goals have left: prompts, messages, final texts, outputs
    #[command(
        after_help = "The log itself stays, with objectives of up to 4,000 characters, reports and verdicts. Nothing of an unfinished goal is touched.\n\nExamples:\n  goal purge --dry-run\n  goal purge --all"
    )]
    Purge(Purge),
    /// Speak as the agent: for agents without MCP
    #[command(subcommand, after_help = "Inside an attempt the session is the attempt's own.")]
    Agent(Agent),
    /// Serve the goal tools to an agent over MCP, on standard input and output
    Mcp,
    /// Watch goald at work on a small project of its own, without any account
    #[command(
        after_help = "Makes a temporary folder with failing tests and a scripted agent that mends one thing a round."
    )]
    Demo(Demo),
    /// Print a script that completes verbs and flags in a shell
    #[command(
        after_help = "Examples:\n  goal completions bash > ~/.local/share/bash-completion/completions/goal\n  goal completions zsh > ~/.zfunc/_goal\n  goal completions fish > ~/.config/fish/completions/goal.fish"
    )]
    Completions(Completions),
    /// Print the JSON Schemas of events, errors and the socket protocol
    #[command(
        after_help = "Without NAME: the names, one a line.\n\nExamples:\n  goal schema\n  goal schema event | jq .title\n  goal schema --all > schemas.json"
    )]
    Schema(Schema),
    /// Look whether everything is well: system, files, daemon, log, every session
    #[command(
        after_help = "Works with the daemon and without it, reads everything, and changes nothing. Exits with 1 where it finds a problem.\n\nExamples:\n  goal doctor\n  goal doctor --recover ~/goald-recovered.db\n  goal doctor --json | jq '.findings[] | select(.level == \"problem\")'"
    )]
    Doctor(Doctor),
    /// Run, start, stop and look at the daemon
    #[command(subcommand)]
    Daemon(Daemon),
}

/// An objective: words, or a file.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Objective {
    /// What must be true, in at most 4,000 characters
    #[arg(value_name = "OBJECTIVE")]
    pub words: Vec<String>,
    /// Read it from FILE, at most 256 KiB; - is standard input
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// A goal to be set.
#[derive(Clone, Debug, Args)]
pub struct Goal {
    #[command(flatten)]
    pub objective: Objective,
    /// A profile of config.toml, a program with its path, or a command line
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// How many rounds it may use
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rounds: Option<u32>,
    /// A command that must exit with 0, run at the end of each round; may be repeated
    #[arg(long = "check", value_name = "CMD")]
    pub checks: Vec<String>,
    /// Work beside other sessions of this workspace, instead of one after another
    #[arg(long)]
    pub share_workspace: bool,
    /// Take the place of an unfinished goal
    #[arg(long)]
    pub replace: bool,
}

#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    pub goal: Goal,
    /// Watch it live until it stops
    #[arg(long)]
    pub follow: bool,
}

#[derive(Debug, Args)]
pub struct Edit {
    /// Another objective
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub objective: Option<String>,
    /// Another objective, from FILE; - is standard input
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Another bound on rounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rounds: Option<u32>,
    /// Other checks, in place of all there are; may be repeated
    #[arg(long = "check", value_name = "CMD")]
    pub checks: Vec<String>,
    /// Take all checks away
    #[arg(long, conflicts_with = "checks")]
    pub no_checks: bool,
}

#[derive(Debug, Args)]
pub struct Pause {
    /// Let the running round end first
    #[arg(long)]
    pub after_round: bool,
    #[command(flatten)]
    pub every: Every,
}

#[derive(Debug, Args)]
pub struct Every {
    /// Every session where it applies, in all workspaces
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct Purge {
    /// Only say what would go
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub every: Every,
}

#[derive(Debug, Args)]
pub struct Block {
    /// The reason in words
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// The reason for programs, in lower-kebab-case
    #[arg(long, value_name = "CODE", default_value = "human-reported")]
    pub code: String,
}

#[derive(Debug, Args)]
pub struct Say {
    #[command(flatten)]
    pub message: Message,
    /// Interrupt what runs; a round that is cut goes on afterwards
    #[arg(long)]
    pub now: bool,
    /// The agent, where the session has to be opened first
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Message {
    /// The message
    #[arg(value_name = "TEXT")]
    pub words: Vec<String>,
    /// Read it from FILE, at most 256 KiB; - is standard input
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Log {
    /// Go on as things happen
    #[arg(long)]
    pub follow: bool,
    /// Only what came after a position (1200), a time (2026-12-01T08:00:00Z) or that long ago (10m, 2h)
    #[arg(long, value_name = "POSITION|TIME")]
    pub since: Option<String>,
    /// Of every session
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct Rounds {
    /// Only this round, in detail
    pub round: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Output {
    /// Of this round
    pub round: Option<u32>,
    /// Go on as it comes
    #[arg(long)]
    pub follow: bool,
}

#[derive(Debug, Args)]
pub struct Wait {
    /// Sessions of the workspace; none: the one of -s
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// For the first of them
    #[arg(long)]
    pub any: bool,
    /// For every goal that is being worked on now, in all workspaces (with --any: the first of them)
    #[arg(long, conflicts_with = "names")]
    pub all: bool,
    /// At most this long (90s, 10m, 2h); exits with 124 then
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub timeout: Option<Duration>,
}

#[derive(Debug, Subcommand)]
pub enum Agent {
    /// Read the goal
    Get,
    /// Report that the goal is reached; the checks decide when the turn ends
    Complete(AgentComplete),
    /// Report that the goal cannot be reached as things are
    Blocked(AgentBlocked),
    /// Set a goal, in a turn that answers a person's message
    Create(AgentCreate),
    /// Change the objective, in a turn that answers a person's message
    Edit(AgentEdit),
    /// Pause the goal, in a turn that answers a person's message
    Pause,
    /// Let the goal go on, in a turn that answers a person's message
    Resume,
}

#[derive(Debug, Args)]
pub struct AgentComplete {
    /// What was done, the evidence, what a person should look at
    #[arg(long, value_name = "TEXT")]
    pub summary: String,
    /// A path or link worth looking at; may be repeated
    #[arg(long = "artifact", value_name = "PATH")]
    pub artifacts: Vec<String>,
    /// Something that could not be checked; may be repeated
    #[arg(long = "unverified", value_name = "TEXT")]
    pub unverified: Vec<String>,
}

#[derive(Debug, Args)]
pub struct AgentBlocked {
    /// What is missing
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
}

#[derive(Debug, Args)]
pub struct AgentCreate {
    #[command(flatten)]
    pub objective: Objective,
    /// How many rounds it may use, at most the configured default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rounds: Option<u32>,
}

#[derive(Debug, Args)]
pub struct AgentEdit {
    /// The objective
    #[arg(long, value_name = "TEXT")]
    pub objective: String,
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Keep the folder and say where it is
    #[arg(long)]
    pub keep: bool,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct Schema {
    /// Which
    #[arg(value_name = "NAME", conflicts_with = "all")]
    pub name: Option<String>,
    /// All of them in one object, by name
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// Write what can be read of a damaged log into FILE, a new one, and say what is missing
    #[arg(long, value_name = "FILE")]
    pub recover: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Daemon {
    /// Run it in the foreground, until Ctrl-C
    Run(DaemonRun),
    /// Start it in the background; nothing happens where it runs
    Start,
    /// Stop it: running attempts are cut, goals wait for a resume
    Stop,
    /// Stop it and start it again
    Restart,
    /// Say whether it runs, and where its things are
    #[command(after_help = "Exits with 7 where it does not run.")]
    Status,
    /// Show its own log
    Logs(Logs),
}

#[derive(Debug, Args)]
pub struct DaemonRun {
    /// Say "ready" on standard output and leave the terminal
    #[arg(long, hide = true)]
    pub detached: bool,
}

#[derive(Debug, Args)]
pub struct Logs {
    /// Go on as it comes
    #[arg(long)]
    pub follow: bool,
}
