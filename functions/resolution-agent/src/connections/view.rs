use shared::{
    agent::connection::{
        Amounts, AuthScheme, BasicUser, Breaker, BreakerState, Connection, ConnectionAuth,
        HeaderName, IdempotencyKeys, KeyName, KeyPlace, Period, Replays, SystemKind,
    },
    endpoint::*,
};

// `ToSchema` takes no type arguments.
type ShownConnection = Shown<Connection>;

view! {
    /// A connection to a target system of the organization's actions.
    #[schema(as = Connection)]
    pub struct ConnectionView of connection(connection: Stored<Connection>) {
        /// Kind of system. `other` for a kind that an earlier release took.
        kind: SystemKind = SystemKind::of(&connection.kind),
        /// Unit in which the system writes amounts; null if it is not known.
        amounts: Option<Amounts> =
            connection.sent_amounts.or(SystemKind::of(&connection.kind).amounts()),
        /// The instant of the last new secret, which is never shown; null for none.
        secret_set_at: Option<Timestamp> = connection.secret.as_ref().map(|secret| secret.set_at),
        auth: AuthView = AuthView::of(connection.auth.clone()),
        /// Null for a system without idempotency keys, which carries out a repeated call again.
        idempotency: Option<KeysView> = connection.idempotency.clone().map(KeysView::of),
        /// Version, raised by every write.
        version: i64,
        #[serde(flatten)]
        #[schema(inline)]
        shown: ShownConnection = connection.into(),
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
