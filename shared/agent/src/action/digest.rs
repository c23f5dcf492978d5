//! The digest of an action's content. An approval covers exactly this content.

use serde_json::json;

use crate::{
    action::{ActionContent, AgentAction},
    session::{AgentSession, ProposedAction},
};
use model::{AlertId, OrganizationId, digest, journal::canonical};

impl ActionContent {
    /// Returns the SHA-256 of the canonical JSON of the content and of the names of the organization, the alert and the
    /// action, in hexadecimal. The action's id also names session and proposal.
    fn digest(&self, organization: OrganizationId, alert: AlertId, action: &str) -> String {
        let content = json!({
            "organization": organization, "alert": alert, "action": action, "content": self,
        });
        digest(&canonical(&content))
    }
}

impl ProposedAction {
    pub fn digest(&self, session: &AgentSession) -> String {
        self.content
            .digest(session.organization_id, session.alert.alert_id, &self.id)
    }
}

impl AgentAction {
    /// Returns the digest of its content. Equals that of the [proposed
    /// action](ProposedAction::digest) unless one of them was changed.
    pub fn digest(&self) -> String {
        let key = &self.key;
        self.content
            .digest(key.organization_id, self.alert_id, &key.action_id)
    }
}
