//! The usage that the forecast assumes. No deployment was measured: whoever has the figures of one
//! puts them here.

/// An action from its session to its verified effect.
pub const ACTION: &str = "an action, from its session to its verified effect";

/// A task that gets a due date, until its assignee is reminded.
pub const REMINDER: &str = "a due date, until its reminder";

/// Operations of an average organization on a working day. Twenty users send about 250 requests
/// each. A client asks for new notifications every few minutes, and an integration polls for
/// changes. Every other operation is called [`OTHERS`] times.
#[rustfmt::skip] // A line each.
const DAY: &[(&str, f64)] = &[
    ("GET /api/auth/session", 400.0),
    ("GET /api/tasks", 600.0),
    ("GET /api/tasks/{id}", 700.0),
    ("GET /api/tasks/{taskId}/comments", 300.0),
    ("GET /api/projects", 300.0),
    ("GET /api/projects/{projectId}/tasks", 600.0),
    ("GET /api/projects/{projectId}/milestones", 150.0),
    ("GET /api/managed-services/dashboard", 200.0),
    ("GET /api/notifications", 100.0),
    ("GET /api/notifications/count", 800.0),
    ("GET /api/activities", 100.0),
    ("GET /api/search", 80.0),
    ("GET /api/users", 60.0),
    ("GET /api/tags", 60.0),
    ("GET /api/changes", 200.0),
    ("GET /api/concierge/alerts", 60.0),
    ("GET /api/concierge/agent-sessions", 40.0),
    ("GET /api/concierge/agent-sessions/{id}", 60.0),
    ("POST /api/auth/login", 20.0),
    ("POST /api/tasks", 40.0),
    ("PATCH /api/tasks/{id}", 120.0),
    ("PATCH /api/tasks/reorder", 10.0),
    ("POST /api/tasks/{id}/move", 40.0),
    ("DELETE /api/tasks/{id}", 4.0),
    ("POST /api/tasks/{taskId}/comments", 40.0),
    ("POST /api/tasks/{taskId}/tags", 10.0),
    ("POST /api/activities", 40.0),
    ("POST /api/managed-services/request", 5.0),
    ("PATCH /api/service-requests/{id}", 5.0),
    ("POST /api/managed-services/tickets", 5.0),
    ("POST /api/managed-services/ticket/{ticketId}/reply", 10.0),
    ("POST /api/notifications/read", 60.0),
    ("POST /api/concierge/alerts", 60.0),
    (ACTION, 20.0),
    (REMINDER, 20.0),
];

/// Calls of every other operation a day.
pub const OTHERS: f64 = 1.0;

/// Operations that belong to [`ACTION`], and are counted there.
const IN_ACTION: &[&str] = &[
    "POST /api/concierge/alerts/{id}/agent-session",
    "POST /api/concierge/agent-sessions/{id}/propose",
    "POST /api/concierge/agent-sessions/{id}/execute",
];

/// The busiest second has so many times the operations of an average second of the day.
pub const PEAK: f64 = 5.0;

/// Sizes of deployments: organizations, and how many times the average the largest of them is.
pub const SIZES: [(f64, f64); 3] = [(1_000.0, 50.0), (10_000.0, 100.0), (100_000.0, 200.0)];

/// Read and write units a second that AWS grants a table by default.
pub const TABLE: f64 = 40_000.0;

/// Milliseconds of a processor for a request, by the share of each operation. For publisher and
/// indexer, a change that is delivered alone; for the sweeper, a due item. `growth --cpu` measures
/// them, and `scale` the sweeper's. `pages` reads nothing, and has the lightest read's.
#[rustfmt::skip] // A line each.
pub const CPU: &[(&str, f64)] = &[
    ("activities", 2.2),
    ("auth", 1.9),
    ("directory", 0.8),
    ("managed-services", 2.3),
    ("milestones", 0.9),
    ("pages", 0.5),
    ("resolution-agent", 1.2),
    ("service-requests", 1.0),
    ("tasks", 2.1),
    ("updates", 0.9),
    ("publisher", 2.0),
    ("indexer", 1.4),
    ("sweeper", 0.34),
];

/// Seconds for which a message keeps its place in an instance: a target system answers a few calls,
/// a receiver one, and a mail server one conversation.
pub const SECONDS: &[(&str, f64)] = &[
    ("action-worker", 2.0),
    ("webhook-sender", 0.2),
    ("mailer", 0.5),
];

/// Seconds for which a request waits for the table: twice, one after another.
pub const WAIT: f64 = 0.010;

/// Partitions, and so shards of the stream, of a new table that is billed by request. A table that
/// grows has more.
pub const SHARDS: f64 = 4.0;

/// Requests a second of all HTTP APIs, and instances of all functions, that AWS grants an account
/// by default.
pub const GATEWAY: f64 = 10_000.0;
pub const INSTANCES: f64 = 1_000.0;

/// The operations that this file names.
pub fn names() -> impl Iterator<Item = &'static str> {
    let named = DAY.iter().map(|(name, _)| *name);
    named.chain(IN_ACTION.iter().copied())
}

/// Times a day that an average organization uses an operation.
pub fn a_day(operation: &str) -> f64 {
    if IN_ACTION.contains(&operation) {
        return 0.0;
    }
    let mut named = DAY.iter();
    let named = named.find(|(name, _)| *name == operation);
    named.map_or(OTHERS, |(_, times)| *times)
}
