//! What pages of other origins may send and read: the one place that says it. The tests write it into
//! the template, from which the deployed gateway and the local one have it, and hold it against the
//! document.

/// Request headers that such a page may set, in lower case.
pub const ALLOWED_HEADERS: [&str; 5] = [
    "authorization",
    "content-type",
    "idempotency-key",
    "if-match",
    "prefer",
];

/// Response headers that it may read beside those that every page may, in lower case.
pub const EXPOSED_HEADERS: [&str; 7] = [
    "etag",
    "idempotency-replayed",
    "link",
    "location",
    "retry-after",
    "www-authenticate",
    "x-request-id",
];

/// Those of the two lists that no operation takes or answers yet. They stand there already because a
/// stack is deployed with them: a client that begins to use them finds them allowed.
pub const NOT_YET: [&str; 1] = ["location"];
