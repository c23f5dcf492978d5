//! Connections: the target systems of an organization, the way to call them, and the calls that are
//! allowed. No other system is ever called.

mod allow;
mod answers;
mod call;
mod excerpt;
mod idempotency;
mod identity;
mod kind;
mod partners;
mod systems;
mod traffic;
pub(crate) mod values;
mod words;

pub use allow::{AllowedCall, CallPath, METHODS};
pub use answers::{AccountPointer, ErrorCode, is_pointer, kept, redacted};
pub use call::{AlreadyDone, AnswerCondition, ApiCall};
pub use excerpt::Excerpt;
pub use idempotency::{Idempotency, IdempotencyKeys, KeyPlace, Replays};
pub use identity::{ConnectionIdentity, IdentityPut};
pub use kind::{Amounts, ReadingOf, SystemKind, minor_units};
pub use partners::Partners;
pub use systems::Systems;
pub use traffic::{
    Admission, AdmissionRequest, Breaker, BreakerState, ConnectionTraffic, Counting, ReadCounter,
};
pub use values::quoted;
pub use words::{BaseUrl, BasicUser, HeaderName, HeaderText, KeyName, Period, SettlesWithin};

use model::{
    base::{
        Fault, FaultCode, OrOther, OrganizationId, SealedSecret, SentSecret, Slug, Timestamp,
        UserId, Whole,
        input::{BoundedList, Defaulted, InputPlace, Patch},
    },
    input, names,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use self::words::{is_own, not_so};

pub const MOST_CONNECTIONS: usize = 50;

/// A target system of the organization, with its encrypted secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    pub organization_id: OrganizationId,
    /// Name, which playbooks use.
    pub name: Slug,
    /// The kind of system. In the table, `kind` is the item's kind. Earlier releases took any slug.
    #[serde(rename = "systemKind")]
    #[schema(ignore)]
    pub kind: OrOther<SystemKind>,
    /// The unit of its amounts, as sent. See [`amounts`](Self::amounts).
    #[serde(default, rename = "amounts")]
    pub sent_amounts: Option<Amounts>,
    #[serde(default)]
    #[schema(required = true)]
    pub partners: Partners,
    /// Read of the account behind the connection; null if it is not checked.
    #[serde(default)]
    pub identity: Option<ConnectionIdentity>,
    /// Account that the system named when the connection was put; null without `identity`.
    #[serde(default)]
    pub account: Option<String>,
    pub base_url: BaseUrl,
    /// The secret; none for a system without authentication.
    #[schema(ignore)]
    pub secret: Option<SealedSecret>,
    pub auth: ConnectionAuth,
    pub headers: Vec<FixedHeader>,
    pub body: BodyFormat,
    /// The place of idempotency keys; none for a system that performs a repeat again.
    pub idempotency: Option<IdempotencyKeys>,
    pub allow: Vec<AllowedCall>,
    pub test_path: Option<CallPath>,
    pub error_code: ErrorCode,
    pub keep: Vec<KeyName>,
    #[serde(default)]
    #[schema(required = true)]
    pub limits: CallLimits,
    /// Time for which reads of the system may lag behind its calls.
    #[serde(default)]
    #[schema(required = true)]
    pub settles_within: SettlesWithin,
    /// True while no action starts through the connection.
    pub paused: bool,
    /// Revision, raised when a change affects calls or how their answers are read. No later
    /// connection of the same name has the same revision.
    // The first one is the creation instant in milliseconds.
    pub revision: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The connection that an action is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionRevision {
    pub name: String,
    /// Revision; every change to calls or their reading raises it.
    pub revision: i64,
    /// Account that it reached; null if the connection names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

input! {
    pub struct ConnectionPut {
        kind: SystemKind,
        /// The unit in which the system writes amounts. Required for the kinds `billing`,
        /// `payments` and `other`, if `allow` has anything but GET; `minor` for other kinds when
        /// absent.
        amounts: Option<Amounts>,
        /// Other connections of the organization by their kinds. Playbooks for an alert of this
        /// system use them.
        partners: Option<Partners>,
        /// The read of the account behind the connection; absent if it is not checked.
        identity: Option<IdentityPut>,
        /// The URL to which paths are appended: https, and a host name in the public DNS.
        base_url: BaseUrl,
        /// The secret that authenticates calls. Null for none. When absent, a connection keeps its
        /// secret, unless `baseUrl` is another one: then the secret is required.
        secret: Patch<SentSecret>,
        /// The way the secret is sent; a bearer token when absent.
        auth: Option<ConnectionAuth>,
        /// Headers sent with every call. All users who read connections see them: no secrets.
        headers: Option<BoundedList<FixedHeader, 0, 10>>,
        body: Defaulted<BodyFormat>,
        /// The place of idempotency keys; absent for a system that performs a repeat again.
        idempotency: Option<IdempotencyKeys>,
        /// Calls that may be sent.
        allow: BoundedList<AllowedCall, 0, 50>,
        /// The path of the connection test, which `allow` must contain as a GET. When absent, the
        /// first GET in `allow` without a placeholder.
        test_path: Option<CallPath>,
        error_code: Defaulted<ErrorCode>,
        /// Names of members of answers that may be stored, at any depth. Nothing else of an answer
        /// is stored, except its status, its hash, and the facts that playbooks read.
        keep: Option<BoundedList<KeyName, 0, 50>>,
        /// Call limits for all actions together; absent for no limit.
        limits: Option<CallLimitsPut>,
        /// The time for which reads of the system may lag behind its calls: `15m` when absent, at
        /// most `7d`. Before its end, one read does not show that a call took no effect.
        settles_within: Defaulted<SettlesWithin>,
    }
    check(auth, headers, idempotency) headers_do_not_meet;
    check(allow, test_path) tests_what_is_allowed;
    check(allow, identity) identified_by_what_is_allowed;
    check(kind, amounts, allow) says_its_amounts;
    example {
        "kind": "stripe",
        "baseUrl": "https://api.stripe.com/v1",
        "secret": "sk_test_of_the_example",
        "auth": {"scheme": "bearer"},
        "headers": [{"name": "Stripe-Version", "value": "2025-09-30"}],
        "body": "form",
        "idempotency": {
            "in": "header",
            "name": "Idempotency-Key",
            "replays": "all",
            "replayedHeader": "Idempotent-Replayed",
        },
        "allow": ["GET /balance", "GET /invoices/{id}", "POST /invoices/{id}/pay"],
        "testPath": "/balance",
        "errorCode": "/error/code",
        "keep": ["id", "status", "amount_due", "attempt_count", "code"],
        "limits": {"perSecond": 25, "concurrent": 10},
        "settlesWithin": "15m",
    };
}

input! {
    /// The way a secret is sent.
    #[derive(Default, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct ConnectionAuth {
        scheme: AuthScheme,
        /// For `basic`: the user, with the secret as password. Without it, the secret is the user
        /// and the password is empty.
        username: Option<BasicUser>,
        /// For `header`: the name of the header that carries the secret.
        header: Option<HeaderName>,
    }
    check(scheme, username, header) of_its_scheme;
    example {"scheme": "bearer"};
}

input! {
    /// A header of every call.
    #[derive(PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct FixedHeader {
        /// The header's name, other than the names that the service sets.
        name: HeaderName,
        value: HeaderText,
    }
    check(name) may_be_fixed;
    distinct by name, "The list has this header twice.";
}

input! {
    /// Call limits for all actions together.
    pub struct CallLimitsPut {
        /// Calls of actions that may begin within a second; absent for no limit.
        per_second: Option<Whole<1, 100>>,
        /// Actions that may be at work at the same time; absent for no limit.
        concurrent: Option<Whole<1, 50>>,
    }
    example {"perSecond": 25, "concurrent": 10};
}

/// Call limits for all actions together; null for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallLimits {
    /// Calls of actions that may begin within a second.
    #[schema(minimum = 1, maximum = 100)]
    pub per_second: Option<i64>,
    /// Actions that may be at work at the same time.
    #[schema(minimum = 1, maximum = 50)]
    pub concurrent: Option<i64>,
}

impl From<CallLimitsPut> for CallLimits {
    fn from(put: CallLimitsPut) -> Self {
        Self {
            per_second: put.per_second.map(|most| most.0),
            concurrent: put.concurrent.map(|most| most.0),
        }
    }
}

names! {
    /// The scheme by which a secret is sent.
    #[derive(Default)]
    pub enum AuthScheme = "an authentication scheme" {
        /// `Authorization: Bearer …`.
        Bearer = default,
        /// `Authorization: Basic …`.
        Basic,
        /// A custom header.
        Header,
    }
}

names! {
    /// The format of a call's body.
    #[derive(Default)]
    pub enum BodyFormat = "a body format" {
        /// JSON.
        Json = default,
        /// A form, in which `{"a": {"b": [1]}}` is `a[b][0]=1`.
        Form,
    }
}

/// A pause of all of an organization's actions, whatever their connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentPause {
    pub organization_id: OrganizationId,
    pub paused: bool,
    /// None for the operator, who pauses after a restore alone.
    pub by: Option<UserId>,
    /// The last restore of the table. It outlasts the pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<Restored>,
    pub updated_at: Timestamp,
}

/// A restore of the table to an earlier instant. Calls between the two instants are not in the
/// table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// The instant whose state the table got.
    pub to: Timestamp,
    pub at: Timestamp,
}

names! {
    /// The reason of a pause that no user began.
    pub enum PauseReason {
        /// The operator put an earlier state of the table back. Actions of before are read at their
        /// systems first; see what those did meanwhile before you resume.
        Restored,
    }
}

impl AgentPause {
    pub fn reason(&self) -> Option<PauseReason> {
        (self.paused && self.by.is_none()).then_some(PauseReason::Restored)
    }
}

fn may_be_fixed(name: Option<&HeaderName>, place: &mut InputPlace<'_>) {
    if name.is_some_and(|name| is_own(name)) {
        let detail = "The service sets this header itself, or the header would carry a secret.";
        not_so(place.at("name"), detail);
    }
}

fn of_its_scheme(
    scheme: Option<&AuthScheme>,
    username: Option<&Option<BasicUser>>,
    header: Option<&Option<HeaderName>>,
    place: &mut InputPlace<'_>,
) {
    let (Some(scheme), Some(username), Some(header)) = (scheme, username, header) else {
        return;
    };
    if username.is_some() && *scheme != AuthScheme::Basic {
        let detail = "Only the scheme `basic` takes a username.";
        not_so(place.at("username"), detail);
    }
    if header.is_some() != (*scheme == AuthScheme::Header) {
        let detail = "The scheme `header` needs the name of a header; other schemes take none.";
        not_so(place.at("header"), detail);
    }
    if header
        .as_ref()
        .is_some_and(|name| is_own(name))
    {
        not_so(place.at("header"), "The service sets this header itself.");
    }
}

/// Checks that the secret, the key and the fixed headers use different headers.
fn headers_do_not_meet(
    auth: Option<&Option<ConnectionAuth>>,
    headers: Option<&Option<BoundedList<FixedHeader, 0, 10>>>,
    idempotency: Option<&Option<IdempotencyKeys>>,
    place: &mut InputPlace<'_>,
) {
    let auth = auth.and_then(Option::as_ref);
    let of_auth = auth.and_then(|auth| auth.header.as_deref());
    let keys = idempotency.and_then(Option::as_ref);
    let keys = keys.filter(|keys| keys.r#in == KeyPlace::Header);
    let of_keys = keys.map(|keys| &*keys.name);
    let same = |header: Option<&str>, other: &str| {
        header.is_some_and(|header| header.eq_ignore_ascii_case(other))
    };
    if of_keys.is_some_and(|name| same(of_auth, name)) {
        let detail = "The secret is sent in this header.";
        not_so(place.at("idempotency").at("name"), detail);
    }
    let fixed = headers
        .and_then(Option::as_ref)
        .map(|list| &list.0);
    for (at, header) in fixed.into_iter().flatten().enumerate() {
        if same(of_auth, &header.name) || same(of_keys, &header.name) {
            let detail = "The secret or the idempotency key is sent in this header.";
            not_so(place.at("headers").at(at).at("name"), detail);
        }
    }
}

fn tests_what_is_allowed(
    allow: Option<&BoundedList<AllowedCall, 0, 50>>,
    test_path: Option<&Option<CallPath>>,
    place: &mut InputPlace<'_>,
) {
    if let (Some(allow), Some(Some(path))) = (allow, test_path)
        && !allow::allows(&allow.0, "GET", path)
    {
        let detail = "`allow` must contain a GET of this path.";
        not_so(place.at("testPath"), detail);
    }
}

fn identified_by_what_is_allowed(
    allow: Option<&BoundedList<AllowedCall, 0, 50>>,
    identity: Option<&Option<IdentityPut>>,
    place: &mut InputPlace<'_>,
) {
    if let (Some(allow), Some(Some(identity))) = (allow, identity)
        && !allow::allows(&allow.0, "GET", &identity.path)
    {
        let detail = "`allow` must contain a GET of this path.";
        not_so(place.at("identity").at("path"), detail);
    }
}

/// Checks that the unit of amounts is known where calls may move money.
fn says_its_amounts(
    kind: Option<&SystemKind>,
    amounts: Option<&Option<Amounts>>,
    allow: Option<&BoundedList<AllowedCall, 0, 50>>,
    place: &mut InputPlace<'_>,
) {
    let (Some(kind), Some(None), Some(allow)) = (kind, amounts, allow) else {
        return;
    };
    if !kind.has_one_unit() && !allow.0.iter().all(AllowedCall::is_get) {
        let detail = "`amounts` is required for the kinds `billing`, `payments` and `other`, if `allow` has anything \
                      but GET: `minor` if the system writes 7015 for 70.15 USD, `main` if it writes 70.15.";
        place
            .at("amounts")
            .report(FaultCode::Required, detail);
    }
}

impl ConnectionPut {
    /// Returns the fault of a base URL with plain http, or with a host that the stack's functions
    /// may not call.
    pub fn not_public(&self) -> Option<Fault> {
        (!self.base_url.is_public()).then(|| {
            let detail = "`baseUrl` must be an https URL with a public host name: no IP address, and no name \
                          of this machine or of an internal network.";
            Fault::at("baseUrl", FaultCode::Combination, detail)
        })
    }

    /// Returns the fault of another base URL without a secret. Otherwise the secret could be sent
    /// to a host of the caller's own.
    pub fn lacks_secret(&self, before: &Connection) -> Option<Fault> {
        let keeps = before.secret.is_some() && !self.secret.is_sent();
        (keeps && self.base_url != before.base_url).then(|| {
            let detail = "`baseUrl` is another one. Send the `secret` for it, or null for none.";
            Fault::at("secret", FaultCode::Required, detail)
        })
    }
}

impl Connection {
    /// Returns why a call cannot carry an idempotency key: the connection puts the key where the
    /// call has a value of its own, which was approved. None if it can, or carries none.
    pub fn key_taken(&self, call: &ApiCall) -> Option<String> {
        let keys = self
            .idempotency
            .as_ref()
            .filter(|_| call.changes())?;
        let name = &*keys.name;
        let mut members = call
            .body
            .iter()
            .flat_map(|body| body.0.0.keys());
        if keys.r#in != KeyPlace::Body || !members.any(|member| member.eq_ignore_ascii_case(name)) {
            return None;
        }
        let call = call.summary();
        Some(format!(
            "The connection puts its idempotency key into the member `{name}` of the body, which \
             {call} has already. Give `idempotency` another name."
        ))
    }

    pub const NOUN: &'static str = "connection";

    /// Creates a connection without its secret and its account.
    pub fn new(tenant: OrganizationId, name: Slug, put: ConnectionPut, now: Timestamp) -> Self {
        Self {
            organization_id: tenant,
            name,
            kind: put.kind.into(),
            sent_amounts: put.amounts,
            partners: put.partners.unwrap_or_default(),
            identity: put
                .identity
                .map(ConnectionIdentity::from),
            account: None,
            base_url: put.base_url,
            secret: None,
            auth: put.auth.unwrap_or_default(),
            headers: put
                .headers
                .map(|list| list.0)
                .unwrap_or_default(),
            body: put.body.0,
            idempotency: put.idempotency,
            allow: put.allow.0,
            test_path: put.test_path,
            error_code: put.error_code.0,
            keep: put
                .keep
                .map(|list| list.0)
                .unwrap_or_default(),
            limits: put
                .limits
                .map(CallLimits::from)
                .unwrap_or_default(),
            settles_within: put.settles_within.0,
            paused: false,
            // A connection created again under its name gets another revision.
            revision: now.millis(),
            created_at: now,
            updated_at: now,
        }
    }

    /// Replaces it by a connection that was put under its name. The revision rises when calls, the
    /// reading of their answers, or the account change. A newer secret of the same account, other
    /// allowed calls, partners, stored members or limits do not raise it.
    pub fn replace(&mut self, new: Self) {
        let is_raised = !new.calls_as(self);
        *self = Self {
            paused: self.paused,
            revision: self.revision + i64::from(is_raised),
            created_at: self.created_at,
            ..new
        };
    }

    /// Fields that change neither a call nor the reading of its answer. A change of any other field
    /// raises the revision.
    pub const NOT_OF_CALLS: [&'static str; 12] = [
        // They name the connection.
        "organizationId",
        "name",
        // They select connections. A proposed action has its own.
        "partners",
        // Each call is checked against it when it is sent.
        "allow",
        // A test is no call of an action.
        "testPath",
        // Says what of an answer is stored.
        "keep",
        // They delay a call.
        "limits",
        // Says when a check is believed.
        "settlesWithin",
        "paused",
        "revision",
        "createdAt",
        "updatedAt",
    ];

    /// Returns true if both are called alike, and their answers are read alike.
    pub fn calls_as(&self, other: &Self) -> bool {
        self.calls() == other.calls()
    }

    /// Returns the fields that calls and the reading of their answers depend on. A newer secret
    /// does not change a call.
    fn calls(&self) -> Value {
        let mut fields = json!(self);
        if let Some(fields) = fields.as_object_mut() {
            fields.retain(|name, _| !Self::NOT_OF_CALLS.contains(&name.as_str()));
        }
        fields["secret"] = self.secret.is_some().into();
        fields["amounts"] = json!(self.amounts());
        fields
    }

    pub fn named<'a>(connections: &'a [Self], name: &str) -> Option<&'a Self> {
        connections
            .iter()
            .find(|connection| *connection.name == *name)
    }

    /// The connection revision to which an action proposed at this time is bound.
    pub fn as_now(&self) -> ConnectionRevision {
        ConnectionRevision {
            name: self.name.to_string(),
            revision: self.revision,
            account: self.account.clone(),
        }
    }

    /// Returns the milliseconds for which reads through these connections may lag behind.
    pub fn settling_time(connections: &[Self]) -> i64 {
        let times = connections
            .iter()
            .map(|connection| connection.settles_within.millis());
        let default = || SettlesWithin::default().millis();
        times.max().unwrap_or_else(default)
    }

    /// Returns the circumstances of a read through it at an instant.
    pub fn reading(&self, at: Timestamp) -> ReadingOf {
        ReadingOf {
            at,
            kind: self.system_kind(),
            amounts: self.amounts(),
        }
    }

    /// Returns the kind of its system.
    pub fn system_kind(&self) -> SystemKind {
        SystemKind::of(&self.kind)
    }

    /// Returns the unit of its amounts; none for a system of the kind `other` that names none.
    pub fn amounts(&self) -> Option<Amounts> {
        self.sent_amounts
            .or(self.system_kind().amounts())
    }

    /// Returns the system's treatment of a repeated call: keyed if it has a place for keys.
    pub const fn idempotency(&self) -> Idempotency {
        match self.idempotency {
            Some(_) => Idempotency::Keyed,
            None => Idempotency::Unkeyed,
        }
    }

    /// Returns the milliseconds for which the system keeps an idempotency key.
    pub fn keys_kept_for(&self) -> i64 {
        let keys = self.idempotency.as_ref();
        keys.map_or(0, |keys| {
            let own = keys
                .kept_for
                .as_ref()
                .map(Period::millis);
            own.unwrap_or(IdempotencyKeys::KEPT)
        })
    }

    /// True if a call with a rendered path is allowed. The path has no query and plain segments
    /// only: none is empty, a dot segment, or contains an encoded slash.
    pub fn allows(&self, method: &str, path: &str) -> bool {
        allow::allows(&self.allow, method, path)
    }

    /// Returns the path of the connection test; none if no allowed call fits.
    pub fn tested_path(&self) -> Option<&str> {
        let named = self.test_path.as_deref();
        let named = named.filter(|path| self.allows("GET", path));
        named.or_else(|| {
            self.allow
                .iter()
                .find_map(AllowedCall::as_plain_get)
        })
    }

    pub fn replayed_header(&self) -> Option<&str> {
        self.idempotency
            .as_ref()?
            .replayed_header
            .as_deref()
    }

    /// True if an answer replays the answer to an earlier call with the same key. `replayed` is the
    /// value of the marking header.
    pub fn is_replay(&self, replayed: Option<&str>) -> bool {
        let says_so = replayed.is_some_and(|value| !value.eq_ignore_ascii_case("false"));
        says_so && self.replays() == Some(Replays::All)
    }

    /// Returns the system's answer to a repeated key; none for a system without keys.
    pub fn replays(&self) -> Option<Replays> {
        self.idempotency
            .as_ref()
            .map(|keys| keys.replays.0)
    }
}

#[cfg(test)]
mod tests;
