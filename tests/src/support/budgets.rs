//! Budgets: the most table requests of each operation, which keep the service quick.

use serde_json::Value;

use super::{Answer, Api, Used};

/// The table requests of an operation, authentication included, on records that give it the most to
/// do.
pub struct Row {
    pub operation: &'static str,
    pub used: Used,
    /// Reason for more than others of its kind, or for more at times.
    pub because: &'static str,
}

/// The most that an operation takes without a reason of its own.
pub const USUAL: Used = Used {
    in_sequence: 2,
    total: 5,
};

const fn row(operation: &'static str, in_sequence: usize, total: usize) -> Row {
    Row {
        operation,
        used: Used { in_sequence, total },
        because: "",
    }
}

impl Row {
    const fn because(self, because: &'static str) -> Self {
        Self { because, ..self }
    }
}

/// Reason for reading the policy and the alert after the session.
const NEXT: &str = "policy and alert tell what is next in the session";

/// Reason for reading excerpts after the entries that name them.
const EXCERPTS: &str = "the entries name the excerpts that are read after them";

/// Reason for reading messages after the ticket.
const MESSAGE: &str =
    "the newest messages are read after the version of the ticket, which the write expects";

/// Every operation of the document.
#[rustfmt::skip] // A line each.
pub const ROWS: &[Row] = &[
    row("POST /api/auth/login", 6, 10)
        .because("the failures of both, account and network are read and counted before the password is verified, \
            the user and the provider come after it, and the session last"),
    row("POST /api/auth/accept", 6, 6)
        .because("the link leads to the invitation, which is the newest of its address, the provider decides about \
            passwords, and the password is hashed before both are written"),
    row("POST /api/auth/forgot", 3, 4)
        .because("a name leads to its accounts, and these to their users"),
    row("POST /api/auth/reset", 4, 4)
        .because("the link leads to its account, and the provider decides about passwords"),
    row("PUT /api/auth/email", 5, 9)
        .because("the failures of both, account and network are read and counted before the password is verified"),
    row("POST /api/auth/email/confirm", 3, 3)
        .because("the link leads to its account"),
    row("POST /api/auth/logout", 2, 2),
    row("GET /api/auth/session", 1, 1),
    row("PUT /api/auth/password", 6, 11)
        .because("the provider decides about passwords; the failures of both, account and network are read and \
            counted before the password is verified"),
    row("GET /api/auth/sessions", 1, 2),
    row("DELETE /api/auth/sessions", 3, 3)
        .because("the head of the journal is read after the session"),
    row("DELETE /api/auth/sessions/{id}", 2, 4),
    row("GET /api/users/{id}/sessions", 1, 3),
    row("DELETE /api/users/{id}/sessions", 2, 3),
    row("GET /api/auth/sign-in", 2, 5),
    row("GET /api/auth/oidc", 1, 1),
    row("GET /api/auth/oidc/callback", 0, 0),
    row("GET /api/auth/oidc/callback/{organization}", 6, 7).because(
        "the network is counted and the state used before the provider is called, whose user is then looked for and made",
    ),
    row("GET /api/tokens", 1, 2),
    row("POST /api/tokens", 2, 5),
    row("DELETE /api/tokens/{id}", 2, 4),
    row("GET /api/users/{id}/tokens", 1, 3),
    row("DELETE /api/users/{id}/tokens/{tokenId}", 2, 4),
    row("GET /api/openapi.json", 0, 0),
    row("GET /api/health", 0, 0),
    row("POST /api/managed-services/request", 2, 4),
    row("GET /api/service-requests", 2, 3),
    row("GET /api/service-requests/{id}", 2, 3),
    row("PATCH /api/service-requests/{id}", 2, 4)
        .because("and 1 more where an action was handed over with it, which is done when it is resolved"),
    row("DELETE /api/service-requests/{id}", 2, 3).because("the same"),
    row("GET /api/service-requests/{id}/history", 2, 4),
    row("GET /api/service-requests/{serviceRequestId}/comments", 2, 4),
    row("POST /api/service-requests/{serviceRequestId}/comments", 2, 4),
    row("PATCH /api/service-requests/{serviceRequestId}/comments/{commentId}", 2, 4),
    row("DELETE /api/service-requests/{serviceRequestId}/comments/{commentId}", 2, 4),
    row("PUT /api/service-requests/{id}/tags/{tagId}", 2, 3),
    row("DELETE /api/service-requests/{id}/tags/{tagId}", 2, 3),
    row("GET /api/organizations/{id}", 1, 2),
    row("PATCH /api/organizations/{id}", 2, 3),
    row("GET /api/organizations/{id}/sign-in", 1, 2),
    row("PUT /api/organizations/{id}/sign-in", 4, 4)
        .because("the provider is called and the users are counted once the caller is known"),
    row("DELETE /api/organizations/{id}/sign-in", 2, 3),
    row("POST /api/organizations/{id}/sign-in/test", 2, 3),
    row("GET /api/changes", 2, 3).because(
        "the caller's permissions decide which entries are read; and 1 more with a cursor, and for the actors of entries",
    ),
    row("GET /api/notifications", 2, 4),
    row("GET /api/notifications/count", 2, 3),
    row("POST /api/notifications/read", 2, 3),
    row("GET /api/notifications/preferences", 1, 2),
    row("PUT /api/notifications/preferences", 2, 3),
    row("GET /api/notifications/unsubscribe", 0, 0),
    row("POST /api/notifications/unsubscribe", 2, 2),
    row("GET /api/search", 3, 4).because("words lead to records of the index, and these to the records themselves"),
    row("GET /api/webhooks", 2, 3),
    row("POST /api/webhooks", 2, 4),
    row("GET /api/webhooks/{id}", 1, 2),
    row("PATCH /api/webhooks/{id}", 3, 4)
        .because("the results of its deliveries, which the change may reset, are read after it"),
    row("DELETE /api/webhooks/{id}", 2, 3),
    row("POST /api/webhooks/{id}/rotate-secret", 3, 4)
        .because("the results of its deliveries are read after the change"),
    row("POST /api/webhooks/{id}/test", 1, 2),
    row("GET /api/webhooks/{id}/deliveries", 1, 3),
    row("POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver", 2, 3),
    row("GET /api/journal", 1, 2),
    row("GET /api/journal/check", 1, 3)
        .because("and 1 more where it begins at an instant"),
    row("GET /api/invitations", 3, 4).because("addresses lead to users and to their newest invitations"),
    row("POST /api/invitations", 2, 5).because("the address leads to the invitation that ends"),
    row("POST /api/invitations/{id}/send", 5, 6)
        .because("the invitation leads to its address, which is read with its newest invitation before both are written"),
    row("DELETE /api/invitations/{id}", 2, 3),
    row("GET /api/users", 1, 2),
    row("POST /api/users", 3, 5).because("the provider decides about passwords"),
    row("GET /api/users/{id}", 1, 2),
    row("PATCH /api/users/{id}", 2, 3),
    row("PUT /api/users/{id}/password", 3, 4).because("the provider decides about passwords"),
    row("GET /api/customers", 1, 2),
    row("POST /api/customers", 2, 3),
    row("GET /api/customers/{id}", 1, 2),
    row("PATCH /api/customers/{id}", 2, 3),
    row("GET /api/customers/{id}/history", 2, 4),
    row("GET /api/projects", 1, 2),
    row("POST /api/projects", 3, 5).because("the journal is read where others do not see the project, or it has a customer"),
    row("GET /api/projects/{id}", 1, 2),
    row("PATCH /api/projects/{id}", 2, 3),
    row("GET /api/projects/{id}/history", 2, 4),
    row("GET /api/projects/{projectId}/members", 2, 4),
    row("PUT /api/projects/{projectId}/members/{userId}", 2, 3),
    row("DELETE /api/projects/{projectId}/members/{userId}", 2, 3),
    row("GET /api/projects/{projectId}/phases", 1, 3),
    row("POST /api/projects/{projectId}/phases", 2, 5),
    row("PATCH /api/phases/{id}", 2, 3),
    row("DELETE /api/phases/{id}", 2, 3),
    row("GET /api/tags", 1, 2),
    row("POST /api/tags", 2, 3),
    row("PATCH /api/tags/{id}", 2, 3),
    row("DELETE /api/tags/{id}", 2, 3),
    row("POST /api/milestones", 2, 4),
    row("GET /api/milestones/{id}", 1, 3),
    row("PUT /api/milestones/{id}", 2, 3),
    row("DELETE /api/milestones/{id}", 2, 3),
    row("GET /api/milestones/{id}/history", 2, 4),
    row("GET /api/projects/{projectId}/milestones", 2, 5),
    row("GET /api/tasks", 2, 4),
    row("POST /api/tasks", 2, 5),
    row("GET /api/tasks/{id}", 2, 4),
    row("PATCH /api/tasks/{id}", 2, 5),
    row("DELETE /api/tasks/{id}", 2, 3),
    row("GET /api/tasks/{id}/history", 2, 4),
    row("PATCH /api/tasks/reorder", 2, 3),
    row("POST /api/tasks/{id}/move", 3, 6)
        .because("the tasks around its new place are read once that is known"),
    row("GET /api/projects/{projectId}/tasks", 2, 5),
    row("GET /api/projects/{projectId}/task-counts", 2, 4)
        .because("and 1 more for each further 1,000 tasks"),
    row("PATCH /api/tasks/{taskId}/phase", 2, 5),
    row("GET /api/tasks/{taskId}/comments", 2, 4),
    row("POST /api/tasks/{taskId}/comments", 2, 4),
    row("PATCH /api/tasks/{taskId}/comments/{commentId}", 2, 4),
    row("DELETE /api/tasks/{taskId}/comments/{commentId}", 2, 4),
    row("POST /api/tasks/{taskId}/tags", 2, 3),
    row("DELETE /api/tasks/{taskId}/tags/{tagId}", 2, 3),
    row("GET /api/activities", 2, 4),
    row("POST /api/activities", 2, 4),
    row("GET /api/activities/{id}", 2, 4),
    row("PATCH /api/activities/{id}", 2, 4),
    row("DELETE /api/activities/{id}", 2, 3),
    row("GET /api/projects/{projectId}/activities", 2, 5),
    row("GET /api/organizations/{organizationId}/activities", 2, 4),
    row("GET /api/activities/{activityId}/comments", 2, 4),
    row("POST /api/activities/{activityId}/comments", 2, 4),
    row("PATCH /api/activities/{activityId}/comments/{commentId}", 2, 4),
    row("DELETE /api/activities/{activityId}/comments/{commentId}", 2, 4),
    row("POST /api/activities/{activityId}/tags", 2, 3),
    row("DELETE /api/activities/{activityId}/tags/{tagId}", 2, 3),
    row("GET /api/managed-services/dashboard", 2, 8)
        .because("three lists, the totals, the resolutions, the tags, and who recorded the activities"),
    row("GET /api/managed-services/hours-saved", 1, 2),
    row("GET /api/managed-services/ticket/{ticketId}", 3, 5).because("the caller's permissions decide which messages are read"),
    row("PATCH /api/managed-services/ticket/{ticketId}", 2, 4),
    row("GET /api/managed-services/ticket/{ticketId}/history", 2, 4),
    row("POST /api/managed-services/ticket/{ticketId}/reply", 2, 4),
    row("PATCH /api/managed-services/ticket/{ticketId}/messages/{messageId}", 3, 5).because(MESSAGE),
    row("DELETE /api/managed-services/ticket/{ticketId}/messages/{messageId}", 3, 4).because(MESSAGE),
    row("GET /api/managed-services/tickets", 2, 4),
    row("POST /api/managed-services/tickets", 2, 5),
    row("PUT /api/managed-services/tickets/{id}/tags/{tagId}", 2, 3),
    row("DELETE /api/managed-services/tickets/{id}/tags/{tagId}", 2, 3),
    row("GET /api/managed-services/search-references", 2, 3),
    row("GET /api/concierge/alerts", 1, 2),
    row("POST /api/concierge/alerts", 2, 4)
        .because("one after the other 3 where its source reported it before"),
    row("POST /api/concierge/alerts/alertmanager", 2, 4)
        .because("the same; 19 alerts at once are read and written"),
    row("GET /api/concierge/alerts/{id}", 1, 2),
    row("PATCH /api/concierge/alerts/{id}", 2, 3),
    row("GET /api/concierge/alerts/{id}/agent-sessions", 3, 5).because(NEXT),
    row("GET /api/concierge/agent-sessions", 2, 3),
    row("POST /api/concierge/alerts/{id}/agent-session", 3, 5)
        .because("the alert says which session to look at before another is opened"),
    row("GET /api/concierge/agent-sessions/{id}", 2, 3),
    row("POST /api/concierge/agent-sessions/{id}/propose", 4, 12)
        .because("that it analyses is written before the analysis, beside which what the class did and \
            playbooks came to is read, the breaker of each connection before its reads, and what that \
            proposes after it"),
    row("GET /api/concierge/connections", 1, 2),
    row("GET /api/concierge/connections/{name}", 1, 2),
    row("PUT /api/concierge/connections/{name}", 2, 4),
    row("DELETE /api/concierge/connections/{name}", 2, 3),
    row("POST /api/concierge/connections/{name}/test", 1, 2),
    row("POST /api/concierge/connections/{name}/pause", 2, 3),
    row("POST /api/concierge/connections/{name}/resume", 2, 3),
    row("GET /api/concierge/pause", 1, 2),
    row("POST /api/concierge/pause", 2, 3),
    row("POST /api/concierge/resume", 2, 3),
    row("POST /api/concierge/agent-sessions/{id}/execute", 3, 5).because(
        "policy and alert tell what is next; a wait for results takes 1 more, and 1 for each further look at them",
    ),
    row("POST /api/concierge/agent-sessions/{id}/reject", 3, 4).because(NEXT),
    row("POST /api/concierge/agent-sessions/{id}/cancel", 2, 3),
    row("POST /api/concierge/agent-sessions/{id}/preview", 3, 6)
        .because("the breaker of a connection is read before its reads; and 1 more for each further connection, and where another action claimed one of the effects"),
    row("POST /api/concierge/agent-sessions/{id}/actions/{actionId}/settle", 3, 5).because(NEXT),
    row("POST /api/concierge/agent-sessions/{id}/actions/{actionId}/hand-over", 3, 6).because(NEXT),
    row("GET /api/concierge/agent-sessions/{id}/journal", 2, 4).because(EXCERPTS),
    row("GET /api/concierge/agent-sessions/{id}/journal/check", 1, 3),
    row("GET /api/concierge/journal", 2, 3).because(EXCERPTS),
    row("GET /api/concierge/policy", 1, 2),
    row("PUT /api/concierge/policy", 2, 3),
];

#[track_caller]
pub fn budget(operation: &str) -> &'static Row {
    let row = ROWS
        .iter()
        .find(|row| row.operation == operation);
    row.unwrap_or_else(|| {
        panic!("{operation} has no budget: add a row to tests/src/support/budgets.rs")
    })
}

/// Asserts that an answered operation stayed within its budget. With weather, the budget grows by
/// the weather's requests.
#[track_caller]
pub fn within(api: &Api, operation: &str, status: u16, answer: &Answer) -> Value {
    let used = api.counter.take();
    let body = answer.expect(status);
    let budget = budget(operation).used;
    let holds =
        api.has_weather() || (used.in_sequence <= budget.in_sequence && used.total <= budget.total);
    assert!(holds, "{operation} used {used:?} of {budget:?}");
    body
}
