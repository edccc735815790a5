//! Goals and rounds: one at a time, without gaps, completed for a reason.

use super::{Invariants, OpenRound, Picture};
use crate::fixture::DEFAULT_ROUNDS;
use goald_schema::actor::Actor;
use goald_schema::event::{
    Claim, GoalChange, GoalSet, Outcome, RoundAdmitted, RoundEnd, RoundEnded, Verdict, VerdictResult,
};
use goald_schema::goal::{Goal, Limits, Phase, WorkspaceUse};
use goald_schema::number::Revision;

impl Invariants {
    pub(super) fn goal_change(&mut self, change: &GoalChange, actor: &Actor, verdict: Option<&Verdict>) {
        let by_agent = matches!(actor, Actor::Agent { .. });
        match change {
            GoalChange::Create(set) => return self.created(set, by_agent),
            GoalChange::Clear(cleared) => {
                let goal = &self.goal.take().expect("what is cleared was current").goal;
                assert_eq!(*actor, Actor::Human, "only a human clears");
                assert_eq!(cleared.cleared.id, goal.id);
                assert_eq!(cleared.cleared.revision, goal.revision.next(), "revisions have no gap");
                self.armed = false;
                self.hushed = true;
                return self.stop(false);
            }
            _ => {}
        }
        let set = change.snapshot().expect("every other change has a snapshot");
        let before = self.goal.as_ref().expect("what changes is current");
        follows(before, set);
        match change {
            GoalChange::Edit(_) => {
                assert_eq!(set.goal.phase, before.goal.phase, "an edit leaves the phase");
                assert!(!by_agent || only_objective(&before.goal, &set.goal), "an agent edits only the objective");
            }
            GoalChange::Pause(_) => {
                assert!(before.is_active() && set.goal.phase == Phase::Paused);
                assert!(*actor != Actor::Driver || before.pause_requested, "the driver pauses only on request");
                self.armed = false;
                self.hushed = !by_agent;
                self.stop(by_agent);
            }
            GoalChange::Resume(_) => {
                assert!(before.unfinished && set.goal.phase == Phase::Active);
                assert!(!self.armed && !self.stopping, "what is armed is not resumed");
                self.armed = true;
                self.hushed = false;
            }
            GoalChange::Complete(_) => {
                assert!(before.unfinished && matches!(set.goal.phase, Phase::Complete(_)));
                self.completed(actor, verdict, &set.goal);
                self.armed = false;
                self.cancel();
            }
            GoalChange::Block(_) => {
                assert!(before.is_active() && matches!(set.goal.phase, Phase::Blocked(_)));
                assert!(!by_agent, "an agent claims, it does not block");
                self.armed = false;
                self.cancel();
            }
            GoalChange::Create(_) | GoalChange::Clear(_) => {}
        }
        let goal = self.goal.as_mut().expect("still current");
        goal.unfinished = !matches!(set.goal.phase, Phase::Complete(_));
        goal.pause_requested = goal.pause_requested && matches!(change, GoalChange::Edit(_));
        goal.goal = set.goal.clone();
    }

    fn created(&mut self, set: &GoalSet, by_agent: bool) {
        assert!(self.goal.as_ref().is_none_or(|goal| !goal.unfinished), "one unfinished goal at a time");
        assert!(self.used.insert(set.goal.id), "an id is never used again");
        assert_eq!(set.goal.revision, Revision(1));
        assert_eq!(set.rounds_started, 0);
        assert!(!self.stopping, "nothing is created while the daemon stops");
        let bare = set.goal.criteria.is_empty() && set.goal.limits == Limits::default();
        let bare = bare && set.goal.policy.workspace_use == WorkspaceUse::Alone;
        let modest = bare && set.goal.max_goal_rounds <= DEFAULT_ROUNDS;
        assert!(
            !by_agent || modest,
            "an agent sets neither criteria nor limits, shares nothing, and only lowers the bound"
        );
        let goal = set.goal.clone();
        self.goal = Some(Picture { goal, rounds: 0, open_round: None, unfinished: true, pause_requested: false });
        self.armed = true;
        self.hushed = false;
    }

    /// Completion: a human's word, or a verdict in the same append that says met, or that took a claim at its word.
    fn completed(&self, actor: &Actor, verdict: Option<&Verdict>, goal: &Goal) {
        if *actor == Actor::Human {
            return;
        }
        assert_eq!(*actor, Actor::Verifier, "a human or the verifier completes");
        assert!(self.armed || self.messages.turn_stands, "nothing is completed behind a stop");
        let verdict = verdict.expect("a completion stands beside its verdict");
        assert_eq!(verdict.content_revision, goal.content_revision, "the verdict is about this content");
        assert_eq!(verdict.reference.revision.next(), goal.revision, "and about the goal as it was");
        match verdict.result {
            VerdictResult::Met => {
                let checked: Vec<_> = verdict.results.iter().map(|result| &result.criterion).collect();
                let wanted: Vec<_> = goal.criteria.iter().map(|criterion| &criterion.id).collect();
                assert_eq!(checked, wanted, "every criterion was checked");
                assert!(!wanted.is_empty() && verdict.results.iter().all(|result| result.met));
            }
            VerdictResult::Unverified => {
                assert!(goal.criteria.is_empty(), "a word is taken only where nothing can be checked");
                assert!(matches!(verdict.claim, Some(Claim::Complete { .. })), "and only where one was given");
            }
            other => panic!("completed on {other:?}"),
        }
    }

    pub(super) fn verdict_recorded(&mut self, verdict: &Verdict) {
        let goal = self.goal.as_ref().expect("a verdict is about a goal");
        verdict.attempt.map(|attempt| self.unchecked.remove(&attempt));
        assert_eq!(verdict.reference, goal.goal.reference(), "a verdict is about the goal as it is");
        assert_eq!(verdict.content_revision, goal.goal.content_revision);
        assert!(self.attempt.is_none() || verdict.result == VerdictResult::Discarded, "no verdict in a turn");
    }

    pub(super) fn round_admitted(&mut self, admitted: &RoundAdmitted) {
        assert!(self.armed && !self.stopping, "no round is admitted while disarmed");
        assert!(self.attempt.is_none(), "no round is admitted in a turn");
        let goal = self.goal.as_mut().expect("a round belongs to a goal");
        assert!(goal.is_active(), "no round is admitted unless active");
        assert!(goal.open_round.is_none(), "one round at a time");
        assert_eq!(admitted.reference, goal.goal.reference());
        assert_eq!(admitted.content_revision, goal.goal.content_revision);
        assert_eq!(admitted.round.get(), goal.rounds + 1, "round numbers have no gap and come once");
        assert!(admitted.round.get() <= goal.goal.max_goal_rounds, "no round over the limit");
        goal.rounds += 1;
        let content = admitted.content_revision.get();
        goal.open_round = Some(OpenRound { number: goal.rounds, content, attempts: 0 });
    }

    pub(super) fn round_ended(&mut self, ended: &RoundEnded) {
        assert!(self.attempt.is_none(), "a round ends after its attempt");
        let goal = self.goal.as_mut().expect("a round belongs to a goal");
        let open = goal.open_round.take().expect("what ends was open");
        assert_eq!(ended.round.get(), open.number);
        let was_cut = matches!(self.last_end, Some(Outcome::Interrupted { .. }));
        assert!(!was_cut || ended.how == RoundEnd::Abandoned, "a round that was cut stays open");
    }
}

fn follows(before: &Picture, set: &GoalSet) {
    assert_eq!(set.goal.id, before.goal.id, "one current goal");
    assert_eq!(set.goal.revision, before.goal.revision.next(), "revisions have no gap");
    assert_eq!(set.rounds_started, before.rounds, "rounds are never reset");
    let content = set.goal.objective != before.goal.objective || set.goal.criteria != before.goal.criteria;
    let expected = if content { set.goal.revision } else { before.goal.content_revision };
    assert_eq!(set.goal.content_revision, expected);
}

fn only_objective(before: &Goal, after: &Goal) -> bool {
    before.criteria == after.criteria
        && before.limits == after.limits
        && before.max_goal_rounds == after.max_goal_rounds
        && before.policy == after.policy
        && before.agent == after.agent
}
