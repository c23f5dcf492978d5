//! The journal of a session, excerpts of responses, and what the organization's journal notes of records.

mod chains;
mod entry;

pub use chains::{JournalBreak, JournalCheck, check_journal};
pub use entry::*;

use crate::prelude::*;

journaled! {
    AgentPolicy: |policy| [subject::POLICY.to_owned()], {"rules": policy.rules, "caps": policy.caps};
    AgentPause: |pause| [subject::AGENT.to_owned()], {"paused": pause.paused, "reason": pause.reason()};
    Connection: |connection| [subject::connection(&connection.name)], {
        "kind": connection.kind,
        "baseUrl": connection.base_url,
        "secretSetAt": connection.secret.as_ref().map(|secret| secret.set_at),
        "auth": connection.auth,
        "headers": connection.headers,
        "body": connection.body,
        "idempotency": connection.idempotency,
        "allow": connection.allow,
        "testPath": connection.test_path,
        "errorCode": connection.error_code,
        "keep": connection.keep,
        "limits": connection.limits,
        "paused": connection.paused,
    };
    Alert: |alert| [subject::alert(alert.id)], {
        "source": alert.source,
        "externalId": alert.external_id,
        "signalType": alert.signal_type,
        "severity": alert.severity,
        "status": alert.status,
        "statusBy": alert.status_by,
    };
}
