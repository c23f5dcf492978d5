use shared::endpoint::*;

/// A connection to a target system of the organization's actions.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Connection)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    /// Name, which playbooks use.
    name: Slug,
    kind: Slug,
    base_url: BaseUrl,
    /// The instant of the last new secret, which is never shown; null for none.
    secret_set_at: Option<Timestamp>,
    auth: AuthView,
    headers: Vec<FixedHeader>,
    body: BodyFormat,
    /// Null for a system without idempotency keys, which carries out a repeated call again.
    idempotency: Option<KeysView>,
    allow: Vec<AllowedCall>,
    test_path: Option<CallPath>,
    error_code: ErrorCode,
    keep: Vec<KeyName>,
    limits: CallLimits,
    /// True while no action starts through the connection.
    paused: bool,
    /// Revision, raised when a change affects calls or how their answers are read. No later
    /// connection of the same name has the same revision.
    revision: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Version, raised by every write.
    version: i64,
}

versioned!(ConnectionView, WithBreaker: connection);

/// A connection and the state of its circuit breaker.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConnectionWithBreaker)]
pub struct WithBreaker {
    #[serde(flatten)]
    connection: ConnectionView,
    breaker: BreakerView,
}

impl WithBreaker {
    pub(crate) fn new(connection: Stored<Connection>, breaker: &Breaker, now: Timestamp) -> Self {
        Self {
            connection: connection.into(),
            breaker: BreakerView {
                state: breaker.state(now),
                unclear_answers: breaker.unclear,
                open_until: breaker.open_until.filter(|until| now < *until),
            },
        }
    }
}

/// The circuit breaker of a connection, which opens when its system gives no clear answers.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BreakerOfConnection)]
#[serde(rename_all = "camelCase")]
pub struct BreakerView {
    state: BreakerState,
    /// Number of unclear answers in a row, as far as they are counted. The breaker opens at five.
    #[schema(minimum = 0, examples(0))]
    unclear_answers: i64,
    /// End of the open state; null unless it is open. Actions that are due earlier wait until then.
    open_until: Option<Timestamp>,
}

/// The way a secret is sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuthOfConnection)]
#[serde(rename_all = "camelCase")]
pub struct AuthView {
    scheme: AuthScheme,
    username: Option<BasicUser>,
    header: Option<HeaderName>,
}

/// The way idempotency keys are sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = KeysOfConnection)]
#[serde(rename_all = "camelCase")]
pub struct KeysView {
    r#in: KeyPlace,
    name: KeyName,
    replays: Replays,
    /// Time for which the system keeps a key; null counts as ten minutes.
    kept_for: Option<Period>,
    replayed_header: Option<HeaderName>,
}

impl From<Stored<Connection>> for ConnectionView {
    fn from(stored: Stored<Connection>) -> Self {
        let (version, connection) = (stored.version, stored.record);
        Self {
            name: connection.name,
            kind: connection.kind,
            base_url: connection.base_url,
            secret_set_at: connection.secret.map(|secret| secret.set_at),
            auth: AuthView {
                scheme: connection.auth.scheme,
                username: connection.auth.username,
                header: connection.auth.header,
            },
            headers: connection.headers,
            body: connection.body,
            idempotency: connection.idempotency.map(|keys| KeysView {
                r#in: keys.r#in,
                name: keys.name,
                replays: keys.replays.0,
                kept_for: keys.kept_for,
                replayed_header: keys.replayed_header,
            }),
            allow: connection.allow,
            test_path: connection.test_path,
            error_code: connection.error_code,
            keep: connection.keep,
            limits: connection.limits,
            paused: connection.paused,
            revision: connection.revision,
            created_at: connection.created_at,
            updated_at: connection.updated_at,
            version,
        }
    }
}
