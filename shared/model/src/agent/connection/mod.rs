//! Connections: the systems that an organization's actions call, how they want to be called, and
//! what may be called there. Nothing else is ever called.

mod address;
mod allow;
mod answers;
mod traffic;
mod words;

pub use address::BaseUrl;
pub use allow::{AllowedCall, CallPath, METHODS};
pub use answers::{ErrorCode, without};
pub use traffic::{Admission, Asking, Breaker, BreakerState, ConnectionTraffic};
pub use words::{BasicUser, HeaderName, HeaderText, KeyName, ParameterName};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ConnectionRevision, Idempotency};
use crate::{
    Fault, FaultCode, OrganizationId, Slug, Timestamp, UserId, input,
    input::{Defaulted, List, Place},
    integer::Whole,
};

/// The most connections of an organization.
pub const MOST_CONNECTIONS: usize = 50;

/// A system that the organization's actions call. Its secret stands in Parameter Store, and is only
/// named here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// What playbooks call it.
    pub name: Slug,
    /// What kind of system it is, such as `stripe`. In the table, `kind` is that of the item.
    #[serde(rename = "systemKind")]
    pub kind: Slug,
    /// What paths are appended to.
    pub base_url: BaseUrl,
    /// The last part of the parameter's name that has its secret; none for a system that asks for
    /// none.
    pub secret_parameter: Option<ParameterName>,
    /// How the secret is sent.
    pub auth: ConnectionAuth,
    /// Sent with every call.
    pub headers: Vec<FixedHeader>,
    /// How bodies are written.
    pub body: BodyFormat,
    /// Where idempotency keys go; none for a system that does a repeated call again.
    pub idempotency: Option<IdempotencyKeys>,
    /// Calls that may be sent.
    pub allow: Vec<AllowedCall>,
    /// What is called to see whether the system is reached.
    pub test_path: Option<CallPath>,
    /// Where an error's code stands in its answer.
    pub error_code: ErrorCode,
    /// Members that are taken from answers before these are kept, wherever they stand.
    pub private: Vec<KeyName>,
    /// How much it is called.
    #[serde(default)]
    pub limits: CallLimits,
    /// No action is begun through it while it is.
    #[serde(default)]
    pub paused: bool,
    /// Raised when calls look or go elsewhere, or their answers are read otherwise. It begins with the
    /// milliseconds at which the connection was created, so that no other of its name has the same.
    pub revision: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

input! {
    /// What a client sends to create a connection or to replace it.
    pub struct ConnectionPut {
        /// What kind of system it is.
        kind: Slug,
        /// What paths are appended to: https, and a name that is known to everybody.
        base_url: BaseUrl,
        /// The last part of the name of the parameter with its secret; absent for none.
        secret_parameter: Option<ParameterName>,
        /// How the secret is sent; a bearer token when absent.
        auth: Option<ConnectionAuth>,
        /// Sent with every call, and shown to all who read connections: no secrets.
        headers: Option<List<FixedHeader, 0, 10>>,
        /// How bodies are written.
        body: Defaulted<BodyFormat>,
        /// Where idempotency keys go; absent for a system that does a repeated call again.
        idempotency: Option<IdempotencyKeys>,
        /// Calls that may be sent.
        allow: List<AllowedCall, 0, 50>,
        /// What a test of the connection calls, which `allow` has as a GET; absent for the first
        /// GET there without a placeholder.
        test_path: Option<CallPath>,
        /// Where an error's code stands in its answer.
        error_code: Defaulted<ErrorCode>,
        /// Members that are taken from answers before these are kept, wherever they stand.
        private: Option<List<KeyName, 0, 20>>,
        /// How much the system is called, by all actions together; absent for no limit.
        limits: Option<CallLimitsPut>,
    }
    check(auth, headers, idempotency) headers_do_not_meet;
    check(allow, test_path) tests_what_is_allowed;
}

input! {
    /// How a secret is sent.
    #[derive(Default, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct ConnectionAuth {
        /// In which form.
        scheme: AuthScheme,
        /// The user of `basic`, whose password the secret is; without one the secret is the user,
        /// with an empty password.
        username: Option<BasicUser>,
        /// The name of the header of `header`, whose value the secret is.
        header: Option<HeaderName>,
    }
    check(scheme, username, header) of_its_scheme;
}

input! {
    /// A header of every call.
    #[derive(PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct FixedHeader {
        /// Its name, which is none that the service sets.
        name: HeaderName,
        /// Its value.
        value: HeaderText,
    }
    check(name) may_be_fixed;
    distinct by name, "This header is there already.";
}

input! {
    /// How idempotency keys are sent, and what becomes of a repeated one.
    #[derive(PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct IdempotencyKeys {
        /// Where in a call.
        r#in: KeyPlace,
        /// The name of the header, of the body's member or of the query's parameter.
        name: KeyName,
        /// What a call is answered whose key was used before.
        replays: Defaulted<Replays>,
        /// The header by which an answer says that it was given before, unless its value is
        /// `false`.
        replayed_header: Option<HeaderName>,
    }
    check(r#in, name) names_its_place;
    check(replays, replayed_header) replays_what_it_marks;
}

input! {
    /// How much a system is called, by all actions together.
    pub struct CallLimitsPut {
        /// Calls of actions that begin within a second; absent for any number.
        per_second: Option<Whole<1, 100>>,
        /// Actions that are at work at the same time; absent for any number.
        concurrent: Option<Whole<1, 50>>,
    }
}

/// How much a system is called, by all actions together: null for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallLimits {
    /// Calls of actions that begin within a second.
    #[schema(minimum = 1, maximum = 100, examples(10))]
    pub per_second: Option<i64>,
    /// Actions that are at work at the same time.
    #[schema(minimum = 1, maximum = 50, examples(5))]
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

/// In which form a secret is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuthScheme {
    /// `Authorization: Bearer …`.
    #[default]
    Bearer,
    /// `Authorization: Basic …`.
    Basic,
    /// A header of its own.
    Header,
}

/// How the body of a call is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodyFormat {
    /// As JSON.
    #[default]
    Json,
    /// As a form, in which `{"a": {"b": [1]}}` is `a[b][0]=1`.
    Form,
}

/// Where in a call its idempotency key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    /// In a header.
    Header,
    /// In a member of the body.
    Body,
    /// In a parameter of the query.
    Query,
}

/// What a system answers to a call whose idempotency key was used before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Replays {
    /// What it answered the first one, if it keeps that answer; else it does the call.
    // `successes` was a name of its own for a system that keeps these alone. It made no difference.
    #[default]
    #[serde(alias = "successes")]
    All,
    /// A refusal of the repeat, so that one whose first call got no clear answer is sent once more and
    /// then no more.
    None,
}

/// Orders of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ConnectionSort {
    /// By name.
    #[default]
    #[serde(rename = "name")]
    Name,
}

/// That no action of an organization is begun, whatever its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentPause {
    /// Whose actions.
    pub organization_id: OrganizationId,
    /// Whether it is so now.
    pub paused: bool,
    /// Who said so.
    pub by: UserId,
    /// When it was said.
    pub updated_at: Timestamp,
}

/// Header names of a call that are not another's to set.
const OWN_HEADERS: [&str; 17] = [
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

fn is_own(name: &str) -> bool {
    OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name))
}

fn may_be_fixed(name: Option<&HeaderName>, place: &mut Place<'_>) {
    if name.is_some_and(|name| is_own(name)) {
        let detail = "The service sets this header itself, or it would carry a secret.";
        place.at("name").report(FaultCode::Combination, detail);
    }
}

fn of_its_scheme(
    scheme: Option<&AuthScheme>,
    username: Option<&Option<BasicUser>>,
    header: Option<&Option<HeaderName>>,
    place: &mut Place<'_>,
) {
    let (Some(scheme), Some(username), Some(header)) = (scheme, username, header) else {
        return;
    };
    if username.is_some() && *scheme != AuthScheme::Basic {
        let detail = "Only `basic` has a username.";
        place.at("username").report(FaultCode::Combination, detail);
    }
    if header.is_some() != (*scheme == AuthScheme::Header) {
        let detail = "`header` names its header, and no other scheme does.";
        place.at("header").report(FaultCode::Combination, detail);
    }
    if header.as_ref().is_some_and(|name| is_own(name)) {
        let detail = "The service sets this header itself.";
        place.at("header").report(FaultCode::Combination, detail);
    }
}

fn names_its_place(r#in: Option<&KeyPlace>, name: Option<&KeyName>, place: &mut Place<'_>) {
    if r#in == Some(&KeyPlace::Header) && name.is_some_and(|name| is_own(name)) {
        let detail = "The service sets this header itself.";
        place.at("name").report(FaultCode::Combination, detail);
    }
}

fn replays_what_it_marks(
    replays: Option<&Defaulted<Replays>>,
    header: Option<&Option<HeaderName>>,
    place: &mut Place<'_>,
) {
    let none = replays.is_some_and(|replays| replays.0 == Replays::None);
    if none && header.is_some_and(Option::is_some) {
        let detail = "A system that replays nothing has no header for it.";
        let mut place = place.at("replayedHeader");
        place.report(FaultCode::Combination, detail);
    }
}

/// The secret, the key and the fixed headers each have a header of their own.
fn headers_do_not_meet(
    auth: Option<&Option<ConnectionAuth>>,
    headers: Option<&Option<List<FixedHeader, 0, 10>>>,
    idempotency: Option<&Option<IdempotencyKeys>>,
    place: &mut Place<'_>,
) {
    let auth = auth.and_then(Option::as_ref);
    let of_auth = auth.and_then(|auth| auth.header.as_deref());
    let keys = idempotency.and_then(Option::as_ref);
    let keys = keys.filter(|keys| keys.r#in == KeyPlace::Header);
    let of_keys = keys.map(|keys| &*keys.name);
    let same =
        |one: Option<&str>, other: &str| one.is_some_and(|one| one.eq_ignore_ascii_case(other));
    if of_keys.is_some_and(|name| same(of_auth, name)) {
        let detail = "The secret has this header.";
        let mut place = place.at("idempotency");
        place.at("name").report(FaultCode::Combination, detail);
    }
    let fixed = headers.and_then(Option::as_ref).map(|list| &list.0);
    for (at, header) in fixed.into_iter().flatten().enumerate() {
        if same(of_auth, &header.name) || same(of_keys, &header.name) {
            let detail = "The secret or the idempotency key has this header.";
            let mut place = place.at("headers");
            let mut place = place.at(at);
            place.at("name").report(FaultCode::Combination, detail);
        }
    }
}

fn tests_what_is_allowed(
    allow: Option<&List<AllowedCall, 0, 50>>,
    test_path: Option<&Option<CallPath>>,
    place: &mut Place<'_>,
) {
    let (Some(allow), Some(Some(path))) = (allow, test_path) else {
        return;
    };
    if !allow::allows(&allow.0, "GET", path) {
        let detail = "`allow` has no GET of this path.";
        place.at("testPath").report(FaultCode::Combination, detail);
    }
}

impl ConnectionPut {
    /// The fault of a base URL that leads where the stack's functions may not go, or over plain http.
    #[must_use]
    pub fn not_public(&self) -> Option<Fault> {
        (!self.base_url.is_public()).then(|| {
            let detail = "Expected https, and a host name that everybody knows: no address, and no \
                          name of this machine or of an inner network.";
            Fault::at("baseUrl", FaultCode::Combination, detail)
        })
    }
}

impl Connection {
    /// What a client calls one that is not there.
    pub const NOUN: &'static str = "connection";

    /// A connection that is there from now on.
    #[must_use]
    pub fn new(tenant: OrganizationId, name: Slug, put: ConnectionPut, now: Timestamp) -> Self {
        Self {
            organization_id: tenant,
            name,
            kind: put.kind,
            base_url: put.base_url,
            secret_parameter: put.secret_parameter,
            auth: put.auth.unwrap_or_default(),
            headers: put.headers.map(|list| list.0).unwrap_or_default(),
            body: put.body.0,
            idempotency: put.idempotency,
            allow: put.allow.0,
            test_path: put.test_path,
            error_code: put.error_code.0,
            private: put.private.map(|list| list.0).unwrap_or_default(),
            limits: put.limits.map(CallLimits::from).unwrap_or_default(),
            paused: false,
            // One that is created anew under its name is another one.
            revision: now.millis(),
            created_at: now,
            updated_at: now,
        }
    }

    /// Replaces all that a client says of it. The revision rises when a call looks or goes elsewhere,
    /// or its answer is read otherwise; what is only allowed, kept or limited otherwise is the same
    /// call.
    pub fn replace(&mut self, put: ConnectionPut, now: Timestamp) {
        let old = self.clone();
        *self = Self {
            paused: old.paused,
            revision: old.revision,
            created_at: old.created_at,
            ..Self::new(old.organization_id, old.name.clone(), put, now)
        };
        if self.calls() != old.calls() {
            self.revision += 1;
        }
    }

    /// What a call and the reading of its answer follow from.
    fn calls(&self) -> impl PartialEq {
        (
            self.base_url.clone(),
            self.secret_parameter.clone(),
            self.auth.clone(),
            self.headers.clone(),
            self.body,
            self.idempotency.clone(),
            self.error_code.clone(),
        )
    }

    /// The one of that name.
    #[must_use]
    pub fn named<'a>(connections: &'a [Self], name: &str) -> Option<&'a Self> {
        connections.iter().find(|one| *one.name == *name)
    }

    /// What an action that is proposed now is approved with.
    #[must_use]
    pub fn as_now(&self) -> ConnectionRevision {
        ConnectionRevision {
            name: self.name.to_string(),
            revision: self.revision,
        }
    }

    /// What it makes of a call that is sent twice: it honours keys if it has a place for them.
    #[must_use]
    pub const fn idempotency(&self) -> Idempotency {
        match self.idempotency {
            Some(_) => Idempotency::Keyed,
            None => Idempotency::Unkeyed,
        }
    }

    /// Whether a call with a rendered path is allowed. The path has plain segments only: none is
    /// empty, a dot segment, or holds an encoded slash, and there is no query.
    #[must_use]
    pub fn allows(&self, method: &str, path: &str) -> bool {
        allow::allows(&self.allow, method, path)
    }

    /// What a test of it calls; none where nothing is that a call could name.
    #[must_use]
    pub fn tested_path(&self) -> Option<&str> {
        let named = self.test_path.as_deref();
        named
            .filter(|path| self.allows("GET", path))
            .or_else(|| self.allow.iter().find_map(AllowedCall::as_plain_get))
    }

    /// The header by which an answer says that it was given before, if it has one.
    #[must_use]
    pub fn replayed_header(&self) -> Option<&str> {
        self.idempotency.as_ref()?.replayed_header.as_deref()
    }

    /// Whether an answer is the one that an earlier call with the same key was given. `replayed` is
    /// the value of its header for that.
    #[must_use]
    pub fn is_replay(&self, replayed: Option<&str>) -> bool {
        let says_so = replayed.is_some_and(|value| !value.eq_ignore_ascii_case("false"));
        says_so && self.replays() == Some(Replays::All)
    }

    /// What a call is answered whose key was used before; none for a system without keys.
    #[must_use]
    pub fn replays(&self) -> Option<Replays> {
        self.idempotency.as_ref().map(|keys| keys.replays.0)
    }
}

#[cfg(test)]
mod tests;
