//! The fields of policies, connections, pauses and alerts that the organization's journal notes.

use serde_json::{Value, json};

use crate::{
    alert::Alert,
    connection::{AgentPause, Connection},
    policy::AgentPolicy,
};
use model::{Journaled, journal::subject};

impl Journaled for AgentPolicy {
    fn subjects(&self) -> Vec<String> {
        vec![subject::POLICY.to_owned()]
    }

    fn noted(&self) -> Value {
        json!({"rules": self.rules, "caps": self.caps})
    }
}

impl Journaled for AgentPause {
    fn subjects(&self) -> Vec<String> {
        vec![subject::AGENT.to_owned()]
    }

    fn noted(&self) -> Value {
        json!({"paused": self.paused, "reason": self.reason()})
    }
}

impl Journaled for Connection {
    fn subjects(&self) -> Vec<String> {
        vec![subject::connection(&self.name)]
    }

    fn noted(&self) -> Value {
        json!({
            "kind": self.kind,
            "baseUrl": self.base_url,
            "secretSetAt": self.secret.as_ref().map(|secret| secret.set_at),
            "auth": self.auth,
            "headers": self.headers,
            "body": self.body,
            "idempotency": self.idempotency,
            "allow": self.allow,
            "testPath": self.test_path,
            "errorCode": self.error_code,
            "keep": self.keep,
            "limits": self.limits,
            "paused": self.paused,
        })
    }
}

impl Journaled for Alert {
    fn subjects(&self) -> Vec<String> {
        vec![subject::alert(self.id)]
    }

    fn noted(&self) -> Value {
        json!({
            "source": self.source,
            "externalId": self.external_id,
            "signalType": self.signal_type,
            "severity": self.severity,
            "status": self.status,
            "statusBy": self.status_by,
        })
    }
}
