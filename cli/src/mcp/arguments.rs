//! The tools' arguments. Models fill optional fields with empty strings and zeros: where an action does not use a field,
//! such a filler counts as left out.

use goald_schema::goal::GoalRef;
use goald_schema::id::GoalId;
use goald_schema::number::Revision;
use goald_schema::{ErrorCode, WireError};
use schemars::JsonSchema;
use serde::Deserialize;

/// `create_goal`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateGoal {
    /// What must be true, in at most 4,000 characters.
    pub objective: String,
    /// A bound on rounds; it may only lower the configured one.
    #[serde(default)]
    pub max_goal_rounds: Option<u32>,
}

/// `update_goal`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateGoal {
    /// The goal's id, as `get_goal` gives it.
    pub goal_id: String,
    /// The goal's revision, as `get_goal` gives it.
    pub revision: u64,
    /// What to do.
    pub action: Action,
    /// With `edit`: the new objective.
    #[serde(default)]
    pub objective: Option<String>,
    /// With `blocked`: why.
    #[serde(default)]
    pub blocked_reason: Option<String>,
    /// With `complete`: what was done, the evidence, what a person should look at.
    #[serde(default)]
    pub summary: Option<String>,
}

/// What `update_goal` can do.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Change the objective.
    Edit,
    /// Pause.
    Pause,
    /// Resume.
    Resume,
    /// Report completion.
    Complete,
    /// Report being blocked.
    Blocked,
}

impl CreateGoal {
    /// The bound, if one is meant.
    pub fn bound(&self) -> Option<u32> {
        self.max_goal_rounds.filter(|rounds| *rounds != 0)
    }
}

impl UpdateGoal {
    /// The goal as the agent saw it.
    ///
    /// # Errors
    /// `invalid-value`.
    pub fn reference(&self) -> Result<GoalRef, WireError> {
        let id: GoalId = self.goal_id.trim().parse().map_err(|_| {
            WireError::new(ErrorCode::InvalidValue, format!("{:?} is no goal id", self.goal_id))
                .hint("get_goal says which goal is current")
        })?;
        Ok(GoalRef { id, revision: Revision(self.revision) })
    }

    /// The text that the action needs.
    ///
    /// # Errors
    /// `invalid-value` where another field than the action's own is filled: then it is not clear what is meant.
    pub fn text(&self) -> Result<String, WireError> {
        let own = match self.action {
            Action::Edit => Some("objective"),
            Action::Blocked => Some("blocked_reason"),
            Action::Complete => Some("summary"),
            Action::Pause | Action::Resume => None,
        };
        let fields =
            [("objective", &self.objective), ("blocked_reason", &self.blocked_reason), ("summary", &self.summary)];
        let filled = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        // A summary beside another action is harmless talk; an objective or a reason is a wish of its own.
        let stray = fields.iter().find(|(name, text)| Some(*name) != own && *name != "summary" && filled(text));
        if let Some((name, _)) = stray {
            let message = format!("{name} does not go with this action");
            return Err(WireError::new(ErrorCode::InvalidValue, message).hint("do one thing a call"));
        }
        let text = fields.iter().find(|(name, _)| Some(*name) == own).and_then(|(_, text)| text.as_ref());
        Ok(text.cloned().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn update(fields: serde_json::Value) -> UpdateGoal {
        serde_json::from_value(fields).expect("reads")
    }

    #[test]
    fn fillers_in_fields_that_the_action_does_not_use_count_as_left_out() {
        let base = json!({"goal_id": "x", "revision": 1, "objective": "", "blocked_reason": "  ", "summary": ""});
        for (action, field, text) in
            [("complete", "summary", "done"), ("blocked", "blocked_reason", "no key"), ("edit", "objective", "new")]
        {
            let mut fields = base.clone();
            fields["action"] = json!(action);
            fields[field] = json!(text);
            assert_eq!(update(fields).text().expect("clear"), text);
        }
        let mut pause = base;
        pause["action"] = json!("pause");
        assert_eq!(update(pause).text().expect("clear"), "");
        let create: CreateGoal =
            serde_json::from_value(json!({"objective": "o", "max_goal_rounds": 0})).expect("reads");
        assert_eq!(create.bound(), None);
    }

    #[test]
    fn a_second_wish_in_one_call_is_refused() {
        let fields = json!({"goal_id": "x", "revision": 1, "action": "complete", "summary": "s", "objective": "less"});
        assert_eq!(update(fields).text().expect_err("unclear").code, ErrorCode::InvalidValue);
    }

    #[test]
    fn a_made_up_id_is_refused_in_words() {
        let fields = json!({"goal_id": "current", "revision": 1, "action": "pause"});
        assert_eq!(update(fields).reference().expect_err("no id").code, ErrorCode::InvalidValue);
    }
}
