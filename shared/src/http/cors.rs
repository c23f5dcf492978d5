//! Headers and methods that pages of other origins may send and read.
//!
//! The tests write these lists into the template, for the deployed gateway and the local one. They
//! also compare them with the document.

/// Request headers that such a page may set, in lower case.
pub const ALLOWED_HEADERS: [&str; 10] = [
    "authorization",
    "baggage",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "prefer",
    "traceparent",
    "tracestate",
    "workdesk-user",
];

/// Request headers of tracing (W3C Trace Context and Baggage). No operation takes them, but
/// libraries add them to every request.
pub const OF_TRACES: [&str; 3] = ["baggage", "traceparent", "tracestate"];

/// Response headers for pages beside those that every page may read, in lower case.
pub const EXPOSED_HEADERS: [&str; 10] = [
    "etag",
    "idempotency-replayed",
    "link",
    "location",
    "preference-applied",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "www-authenticate",
    "x-request-id",
];
