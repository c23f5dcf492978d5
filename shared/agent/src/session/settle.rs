//! The end of a session: by its actions, by a cancellation, or by later checks and verdicts.

use crate::{
    action::ActionResult,
    check::Checks,
    session::{ActionRecord, AgentSession, ApprovedActions},
};

impl AgentSession {
    /// Returns the results of the ended actions, in the order of the proposal.
    pub fn results(&self, actions: &ApprovedActions<impl ActionRecord>) -> Vec<ActionResult> {
        let unreadable = "The record of this action cannot be read; check the target system.";
        let unreadable = actions
            .unreadable
            .iter()
            .map(|action_id| ActionResult {
                action_id: action_id.clone(),
                success: false,
                excerpt_hash: None,
                error: Some(unreadable.to_owned()),
                steps: Vec::new(),
                checks: Checks::default(),
                verdict: None,
                executed_at: self.times.updated_at,
                duration: 0,
            });
        let readable = actions
            .known
            .iter()
            .filter_map(|action| action.result());
        let mut results: Vec<ActionResult> = readable.chain(unreadable).collect();
        results.sort_by_key(|result| {
            self.plan
                .place(&result.action_id)
                .unwrap_or(usize::MAX)
        });
        results
    }
}
