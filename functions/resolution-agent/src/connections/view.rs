use shared::{
    agent::connection::{
        AllowedCall, Amounts, AuthScheme, BaseUrl, BasicUser, BodyFormat, Breaker, BreakerState,
        CallLimits, CallPath, Connection, ConnectionAuth, ConnectionIdentity, ErrorCode,
        FixedHeader, HeaderName, IdempotencyKeys, KeyName, KeyPlace, Partners, Period, Replays,
        SettlesWithin, SystemKind,
    },
    endpoint::*,
    model::base::Slug,
};

view! {
    /// A connection to a target system of the organization's actions.
    #[schema(as = Connection)]
    pub struct ConnectionView of connection(Stored { record: connection, version, .. }: Stored<Connection>) {
        /// Name, which playbooks use.
        name: Slug,
        /// Kind of system. `other` for a kind that an earlier release took.
        kind: SystemKind = SystemKind::of(&connection.kind),
        /// Unit in which the system writes amounts; null if it is not known.
        amounts: Option<Amounts> =
            connection.sent_amounts.or(SystemKind::of(&connection.kind).amounts()),
        partners: Partners,
        /// Read of the account behind the connection; null if it is not checked.
        identity: Option<ConnectionIdentity>,
        /// Account that the system named when the connection was put; null without `identity`.
        account: Option<String>,
        base_url: BaseUrl,
        /// The instant of the last new secret, which is never shown; null for none.
        secret_set_at: Option<Timestamp> = connection.secret.map(|secret| secret.set_at),
        auth: AuthView = AuthView::of(connection.auth),
        headers: Vec<FixedHeader>,
        body: BodyFormat,
        /// Null for a system without idempotency keys, which carries out a repeated call again.
        idempotency: Option<KeysView> = connection.idempotency.map(KeysView::of),
        allow: Vec<AllowedCall>,
        test_path: Option<CallPath>,
        error_code: ErrorCode,
        keep: Vec<KeyName>,
        limits: CallLimits,
        /// Time for which reads of the system may lag behind its calls.
        settles_within: SettlesWithin,
        /// True while no action starts through the connection.
        paused: bool,
        /// Revision, raised when a change affects calls or how their answers are read. No later
        /// connection of the same name has the same revision.
        revision: i64,
        created_at: Timestamp,
        updated_at: Timestamp,
        /// Version, raised by every write.
        version: i64 = version,
    }
}

versioned!(ConnectionView, WithBreaker: connection);

/// A connection and the state of its circuit breaker.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConnectionWithBreaker)]
pub struct WithBreaker {
    #[serde(flatten)]
    pub(super) connection: ConnectionView,
    pub(super) breaker: BreakerView,
}

view! {
    /// The circuit breaker of a connection, which opens when its system gives no clear answers.
    #[schema(as = BreakerOfConnection)]
    pub struct BreakerView of breaker(breaker: &Breaker, now: Timestamp) {
        state: BreakerState = breaker.state(now),
        /// Number of unclear answers in a row, as far as they are counted. The breaker opens at
        /// five.
        #[schema(minimum = 0)]
        unclear_answers: i64 = breaker.unclear,
        /// End of the open state; null unless it is open. Actions that are due earlier wait until
        /// then.
        open_until: Option<Timestamp> = breaker.open_until.filter(|until| now < *until),
    }
}

view! {
    /// The way a secret is sent.
    #[schema(as = AuthOfConnection)]
    pub struct AuthView of auth(auth: ConnectionAuth) {
        scheme: AuthScheme,
        username: Option<BasicUser>,
        header: Option<HeaderName>,
    }
}

view! {
    /// The way idempotency keys are sent.
    #[schema(as = KeysOfConnection)]
    pub struct KeysView of keys(keys: IdempotencyKeys) {
        r#in: KeyPlace,
        name: KeyName,
        replays: Replays = keys.replays.0,
        /// Time for which the system keeps a key; null counts as ten minutes.
        kept_for: Option<Period>,
        replayed_header: Option<HeaderName>,
    }
}
