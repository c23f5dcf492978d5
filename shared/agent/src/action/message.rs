//! Messages of the queue: versioned, with ids only. The worker reads everything else from the
//! table, so that a message is never out of date.

use model::base::{AgentSessionId, OrganizationId, QueueMessage};
use serde::{Deserialize, Serialize};

use crate::action::ActionKey;

/// A task for the worker, delivered at least once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Message {
    RunAction(ActionKey),
    /// Check the effect of an action that has ended.
    #[serde(rename = "look_at_action")]
    CheckAction(ActionKey),
    /// Check whether the matter of a completed session's alert is settled.
    CheckAlert {
        organization_id: OrganizationId,
        session_id: AgentSessionId,
    },
}

impl Message {
    pub const fn organization_id(&self) -> OrganizationId {
        match self {
            Self::RunAction(key) | Self::CheckAction(key) => key.organization_id,
            Self::CheckAlert {
                organization_id, ..
            } => *organization_id,
        }
    }
}

impl QueueMessage for Message {
    fn group(&self) -> Option<String> {
        Some(self.organization_id().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::base::Id;

    #[test]
    fn a_message_carries_its_version_and_ids() {
        let organization_id = Id::new(1).unwrap();
        let session_id = Id::new(2).unwrap();
        let key = ActionKey::new(organization_id, session_id, "a");
        let alert = Message::CheckAlert {
            organization_id,
            session_id,
        };
        for (message, text) in [
            (
                Message::RunAction(key.clone()),
                r#""run_action","organizationId":1,"sessionId":2,"actionId":"a"}"#,
            ),
            (
                Message::CheckAction(key),
                r#""look_at_action","organizationId":1,"sessionId":2,"actionId":"a"}"#,
            ),
            (alert, r#""check_alert","organizationId":1,"sessionId":2}"#),
        ] {
            let text = format!(r#"{{"version":1,"type":{text}"#);
            assert_eq!(message.to_text().unwrap(), text);
            assert_eq!(Message::from_text(&text).unwrap(), message);
        }
    }

    #[test]
    fn what_is_no_message_of_a_known_version_is_refused() {
        for text in [
            "",
            "poison",
            "{}",
            r#"{"version":2,"type":"run_action","organizationId":1,"sessionId":2,"actionId":"a"}"#,
            r#"{"version":1,"type":"dance"}"#,
            r#"{"version":1,"type":"run_action","organizationId":1,"actionId":"a"}"#,
        ] {
            assert!(Message::from_text(text).is_err(), "{text}");
        }
    }
}
