//! A client before the agent: opens a session, has actions proposed, approves them, and at times
//! cancels.

use serde_json::{Value, json};

use crate::{
    alerts::Class,
    client::{Client, Outcome},
    ledger::Session,
    world::Shared,
};

/// The most proposals of a session when others were faster.
const PROPOSALS: usize = 6;

/// Codes that may refuse a repeated proposal.
const BETWEEN_PROPOSALS: &[&str] = &["invalid_transition", "analysis_interrupted"];

/// Codes that may refuse a repeated approval, or one after another proposal.
const BETWEEN_APPROVALS: &[&str] = &[
    "invalid_transition",
    "proposal_superseded",
    "other_actions_approved",
    "outcome_unknown",
    "action_not_failed",
];

/// In these a session runs nothing any more, or never has.
const ENDED: [&str; 4] = ["completed", "failed", "cancelled", "expired"];

impl Client {
    /// Looks after an alert about entities of its own. Each seventh session is cancelled.
    pub async fn resolves(&mut self, shared: &Shared) {
        let Some((entity, alert)) = shared.alert().await else {
            return;
        };
        let path = format!("/api/concierge/alerts/{alert}/agent-session");
        let opened = self.asks(&path, None).await;
        let Some(opened) = self.expected(&format!("POST {path}"), opened, &[]) else {
            return;
        };
        let id = opened["session"]["id"]
            .as_i64()
            .unwrap();
        let path = format!("/api/concierge/agent-sessions/{id}");
        let class = Class::of(entity);
        let mut session = Session {
            id,
            class,
            entity,
            told: Vec::new(),
        };
        for _ in 0..PROPOSALS {
            self.proposes(&path).await;
            if let Some(executed) = self.executes(&path, class).await {
                session.told = succeeded(&executed["results"]);
                break;
            }
            let seen = self
                .get(&path)
                .await
                .unwrap_or_default();
            let status = seen["status"]
                .as_str()
                .unwrap_or_default();
            if ENDED.contains(&status) || status == "executing" {
                break;
            }
        }
        if entity % 7 == 6 {
            let path = format!("{path}/cancel");
            let cancelled = self.asks(&path, None).await;
            // It had ended before.
            self.expected(&format!("POST {path}"), cancelled, &["invalid_transition"]);
        }
        if let Some(seen) = self.get(&path).await {
            for action in succeeded(&seen["executionResults"]) {
                if !session.told.contains(&action) {
                    session.told.push(action);
                }
            }
        }
        self.ledger.sessions.push(session);
    }

    async fn proposes(&mut self, path: &str) {
        let path = format!("{path}/propose");
        let proposed = self.asks(&path, None).await;
        self.expected(&format!("POST {path}"), proposed, BETWEEN_PROPOSALS);
    }

    /// Approves the current proposal. Returns the answer, unless it was refused.
    async fn executes(&mut self, path: &str, class: Class) -> Option<Value> {
        let seen = self.get(path).await?;
        if seen["status"] != "awaiting_confirmation" {
            return None;
        }
        let wanted = seen["proposedActions"]
            .as_array()?
            .iter()
            .filter(|action| {
                action["isAutomated"] == true && action["actionType"] != class.left_out()
            });
        let ids: Vec<&Value> = wanted
            .map(|action| &action["id"])
            .collect();
        if ids.is_empty() {
            // What could not be looked at is a person's, until it is proposed again.
            return None;
        }
        let path = format!("{path}/execute");
        let executed = self
            .asks(&path, Some(&json!({"actionIds": ids})))
            .await;
        if let Outcome::Unclear = executed {
            // It executes or not; who looks at the session sees.
            return None;
        }
        self.expected(&format!("POST {path}"), executed, BETWEEN_APPROVALS)
    }
}

/// The actions that results say to have succeeded.
fn succeeded(results: &Value) -> Vec<String> {
    let results = results.as_array().into_iter().flatten();
    let succeeded = results.filter(|result| result["success"] == true);
    let ids = succeeded.filter_map(|result| result["actionId"].as_str());
    ids.map(str::to_owned).collect()
}
