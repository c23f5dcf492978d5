//! The sign-in of an organization's users by its own provider (OpenID Connect).

mod discovery;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::{PartialSchema, ToSchema};

use crate::{
    base::{
        Fault, FaultCode, LinkToken, LoginName, OrganizationId, SealedSecret, SentSecret,
        Timestamp, UserId, Whole, address,
        input::{
            BoundedList, Component, Defaulted, Field, Form, InputPlace, Reading, Schema, escaped,
            map_of,
        },
    },
    input, names,
    people::{
        Journaled, LeaverRule, Role, User, each_once,
        journal::{seal, subject},
    },
    plain_text,
};

pub use discovery::ProviderDiscovery;

plain_text! {
    /// The provider's issuer, as its tokens name it: https, and a host name in the public DNS.
    IssuerUrl, r"^https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?$", 200,
    "https://login.example.com", address::is_base,
    "an http or https URL with a host in lower case, and neither user, query nor fragment";

    /// The id of this service at the provider.
    ClientId, "^[!-~]+$", 255, "workdesk", is_graphic, "printable ASCII without spaces";

    /// The name of a claim.
    ClaimName, "^[!-~]+$", 255, "groups", is_graphic, "printable ASCII without spaces";

    /// The page that follows a sign-in: a path of this host, or a URL of an allowed origin.
    ReturnUrl, r"^(/([!-.0-\[\]-~][!-\[\]-~]*)?|https?://[!-\[\]-~]+)$", 1000, "/#/tasks", is_return,
    "a path such as /#/tasks, or an http or https URL, in ASCII without spaces and backslashes";
}

names! {
    /// The fault of a sign-in by a provider, in the fragment `#sign-in=…` of the page that follows.
    pub enum SignInFault {
        StateInvalid: "The sign-in was not begun by this browser within ten minutes, or it ended before.",
        ProviderUnavailable: "The provider does not answer, or not as OpenID Connect asks.",
        ProviderRefused: "The provider did not sign the user in.",
        CodeInvalid: "The provider did not take the code.",
        TokenInvalid: "The provider's token does not verify.",
        SignInAgain: "The provider did not ask for credentials.",
        SignInNotAllowed: "No user may sign in so: ask an admin.",
        GroupsMissing: "The provider's token points to the user's groups and does not hold them.",
        OtherUser: "The browser has a session of another user: sign out first.",
        TooManyAttempts: "The network had too many sign-ins that failed.",
    }

    /// The use of passwords beside a provider.
    #[derive(Default)]
    pub enum PasswordSignIn = "a use of passwords" {
        Allowed = default: "Users sign in by password as well.",
        Off: "Nobody signs in by password, but for the admins of `passwordAdmins`.",
    }
}

fn is_return(text: &str) -> bool {
    let is_path = text.starts_with('/') && !text.starts_with("//");
    let is_url = text.starts_with("https://") || text.starts_with("http://");
    (is_path || is_url) && is_graphic(text) && !text.contains('\\')
}

impl ReturnUrl {
    /// Returns the origin of a URL; none of a path.
    pub fn origin(&self) -> Option<&str> {
        let (origin, _) = address::split(self)?;
        (!self.starts_with('/')).then_some(origin)
    }

    /// Returns the page with a fault in its fragment.
    pub fn with(&self, fault: SignInFault) -> String {
        let page = self
            .split('#')
            .next()
            .unwrap_or_default();
        format!("{page}#sign-in={}", fault.name())
    }
}

/// The desk.
impl Default for ReturnUrl {
    fn default() -> Self {
        Self("/".to_owned())
    }
}

fn is_graphic(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_graphic())
}

/// Roles by the provider's groups. Of several groups, the highest role counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GroupRoles(pub BTreeMap<String, Role>);

/// The provider by which the organization's users sign in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = SignIn)]
#[serde(rename_all = "camelCase")]
pub struct SignInProvider {
    pub organization_id: OrganizationId,
    pub issuer: IssuerUrl,
    pub client_id: ClientId,
    #[schema(value_type = String)]
    pub client_secret: SealedSecret,
    pub roles: GroupRoles,
    /// Role of a new user without a group of `roles`; null to refuse them.
    pub default_role: Option<Role>,
    /// Claim of the ID token, or of the provider's user info, with the user's groups.
    pub groups_claim: ClaimName,
    pub passwords: PasswordSignIn,
    /// True if sign-ins come back to the organization's own `redirectUri`. False for an
    /// organization that was set up before it had one, until it changes.
    #[serde(default)]
    #[schema(required = true)]
    pub own_redirect_uri: bool,
    /// The discovery document and keys, as they were read last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub discovery: Option<ProviderDiscovery>,
    /// Ids of the admins who sign in by password all the same.
    #[serde(default)]
    #[schema(required = true)]
    pub password_admins: Vec<UserId>,
    /// Days from the last sign-in by the provider to the end of a bound user's sessions and tokens.
    #[serde(default = "SignInProvider::usual_leaver_days")]
    #[schema(required = true, minimum = 1, maximum = 366)]
    pub leaver_days: i64,
    /// The start of the rule for leavers.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub leavers_since: Option<Timestamp>,
    /// The user who last set issuer, client or secret.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    pub identity_set_by: Option<UserId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

input! {
    pub struct SignInPut {
        issuer: IssuerUrl,
        client_id: ClientId,
        /// The secret of this client. When absent, it keeps its value; with another issuer or
        /// client it is required.
        client_secret: Option<SentSecret>,
        /// Roles by group. With any, each sign-in sets the user's role. None is above the caller's.
        roles: Option<GroupRoles>,
        /// Role of a new user without a group of `roles`, not above the caller's; absent to refuse
        /// them.
        default_role: Option<Role>,
        /// Claim with the user's groups; `groups` when absent.
        groups_claim: Option<ClaimName>,
        passwords: Defaulted<PasswordSignIn>,
        /// True to use the organization's own `redirectUri`, once it is registered at the provider.
        /// A new issuer or client always uses it, and no organization goes back.
        own_redirect_uri: Defaulted<bool>,
        /// Ids of the admins who sign in by password all the same; none when absent.
        password_admins: Option<BoundedList<UserId, 0, 3>>,
        /// Days from the last sign-in by the provider to the end of a bound user's sessions and
        /// tokens; 30 when absent.
        leaver_days: Option<Whole<1, 366>>,
    }
    example {
        "issuer": "https://login.example.com", "clientId": "workdesk",
        "clientSecret": "a_secret_of_the_example", "roles": {"Workdesk admins": "admin"},
        "defaultRole": "member", "groupsClaim": "groups", "passwords": "allowed",
    };

    pub struct OidcBegin {
        /// The organization whose provider signs in.
        organization: OrganizationId,
        /// The page that follows; the desk when absent.
        r#return: Option<ReturnUrl>,
        /// True to have the provider ask for credentials again, for an operation that refused with
        /// `sign_in_again`.
        again: Defaulted<bool>,
        /// True to bind the caller's account to the provider. Needs a session with a sign-in of the
        /// last 30 minutes.
        connect: Defaulted<bool>,
        /// The token of an invitation, to accept it by the provider.
        invitation: Option<LinkToken>,
    }

    /// The ways of a username, or of an invitation: one of both.
    pub struct SignInWaysOf {
        /// The username, matched without regard to case.
        username: Option<LoginName>,
        /// The token of an invitation.
        invitation: Option<LinkToken>,
    }
}

impl SignInPut {
    /// The fault of an issuer that is not in the public internet.
    pub fn not_public(&self) -> Option<Fault> {
        let detail = "`issuer` must be an https URL with a public host name.";
        let fault = || Fault::at("issuer", FaultCode::Combination, detail);
        (!address::is_public(&self.issuer)).then(fault)
    }

    /// The roles that it gives.
    pub fn given(&self) -> impl Iterator<Item = Role> {
        let of_groups = self
            .roles
            .iter()
            .flat_map(|roles| roles.0.values());
        of_groups
            .copied()
            .chain(self.default_role)
    }

    /// The fault of an issuer without a discovery document of its own. `why` is a sentence of its
    /// own.
    pub fn not_discovered(why: &str) -> Fault {
        Fault::at("issuer", FaultCode::Combination, why)
    }

    /// True if it names the issuer and the client of a provider.
    fn is_of(&self, provider: &SignInProvider) -> bool {
        provider.issuer == self.issuer && provider.client_id == self.client_id
    }

    /// Returns the admins who sign in by password all the same, each once.
    pub fn password_admins(&self) -> Vec<UserId> {
        let admins = self.password_admins.as_ref();
        admins.map_or_else(Vec::new, |list| each_once(list.0.clone()))
    }

    /// The fault of a user among them who is no admin.
    pub fn no_password_admin(id: UserId) -> Fault {
        let detail = format!("User {id} is no admin of the organization who is not disabled.");
        Fault::at("passwordAdmins", FaultCode::Unknown, detail)
    }

    /// Replaces a provider, or makes the first one. `secret` is the sealed one that was sent.
    /// `discovery` is none if the provider did not answer. 400 without a secret of this issuer and
    /// client.
    pub fn applied_to(
        &self,
        before: Option<&SignInProvider>,
        tenant: OrganizationId,
        secret: Option<SealedSecret>,
        discovery: Option<ProviderDiscovery>,
        (by, now): (Option<UserId>, Timestamp),
    ) -> Result<SignInProvider, Fault> {
        let same = before.filter(|before| self.is_of(before));
        let kept = || Some(same?.client_secret.clone());
        let kept_discovery = || same?.discovery().cloned();
        let usual_days = SignInProvider::usual_leaver_days();
        let kept_by = before.and_then(|before| before.identity_set_by);
        let identity_set_by = if secret.is_some() { by } else { kept_by };
        let required = "Send the secret of this issuer and client.";
        let fault = || Fault::at("clientSecret", FaultCode::Required, required);
        Ok(SignInProvider {
            organization_id: tenant,
            issuer: self.issuer.clone(),
            client_id: self.client_id.clone(),
            client_secret: secret.or_else(kept).ok_or_else(fault)?,
            roles: self.roles.clone().unwrap_or_default(),
            default_role: self.default_role,
            groups_claim: self
                .groups_claim
                .clone()
                .unwrap_or_else(ClaimName::groups),
            passwords: self.passwords.0,
            own_redirect_uri: self.own_redirect_uri.0
                || same.is_none_or(|provider| provider.own_redirect_uri),
            discovery: discovery.or_else(kept_discovery),
            password_admins: self.password_admins(),
            leaver_days: self
                .leaver_days
                .as_ref()
                .map_or(usual_days, |Whole(days)| *days),
            leavers_since: before
                .and_then(|provider| provider.leavers_since)
                .or(Some(now)),
            identity_set_by,
            created_at: before.map_or(now, |provider| provider.created_at),
            updated_at: now,
        })
    }
}

impl ClaimName {
    fn groups() -> Self {
        Self("groups".to_owned())
    }
}

impl SignInProvider {
    pub const NOUN: &'static str = "sign-in by a provider";

    /// Returns the stored discovery document of the issuer. An older version may have kept one of
    /// another issuer.
    pub fn discovery(&self) -> Option<&ProviderDiscovery> {
        let discovery = self.discovery.as_ref();
        discovery.filter(|discovery| discovery.issuer == *self.issuer)
    }

    /// Returns the highest role that the groups lead to.
    pub fn role_of<'a>(&self, groups: impl IntoIterator<Item = &'a String>) -> Option<Role> {
        let groups = groups.into_iter();
        let roles = groups.filter_map(|group| self.roles.0.get(group));
        roles.copied().max()
    }

    /// True for a user who signs in by this provider.
    pub fn is_of(&self, user: &User) -> bool {
        let subject = user.provider_subject.as_ref();
        subject.is_some_and(|subject| subject.issuer == *self.issuer)
    }

    const fn usual_leaver_days() -> i64 {
        30
    }

    /// Returns the rule for leavers, as the organization has it.
    pub fn leavers(&self) -> LeaverRule {
        LeaverRule {
            days: self.leaver_days,
            since: self
                .leavers_since
                .unwrap_or(self.updated_at),
            except: self.password_admins.clone(),
        }
    }

    /// Returns when issuer, client or secret last changed: each of them takes a new secret.
    pub const fn identity_changed_at(&self) -> Timestamp {
        self.client_secret.set_at
    }

    /// Returns the user who set issuer, client or secret within a day. They may decide who signs in
    /// by it.
    pub fn set_lately_by(&self, now: Timestamp) -> Option<UserId> {
        let is_late = now.since(self.identity_changed_at()) < User::FRESH;
        self.identity_set_by.filter(|_| is_late)
    }

    /// True for a user who cannot have a password: with passwords off, everybody but the named
    /// admins.
    pub fn forbids_password(&self, user: &User) -> bool {
        let is_named = self.password_admins.contains(&user.id) && user.is_enabled_admin();
        self.passwords == PasswordSignIn::Off && !is_named
    }
}

impl User {
    /// Returns the user as approvals see them: another provider is another access of all who are
    /// bound to it.
    #[must_use]
    pub fn under(mut self, provider: Option<&SignInProvider>) -> Self {
        let bound = provider.filter(|_| self.provider_subject.is_some());
        let changed_at = bound.map(SignInProvider::identity_changed_at);
        self.access_changed_at = self.access_changed_at.max(changed_at);
        self
    }
}

impl Journaled for SignInProvider {
    const UNNOTED: &'static [&'static str] = &[
        // The provider's own state, which the sweeper reads again.
        "discovery",
        // It says since when `leaverDays` counts.
        "leaversSince",
        // The actor of the entry that has `clientSecretSetAt`.
        "identitySetBy",
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::organization(self.organization_id)]
    }

    fn in_entries(&self, fields: &mut Map<String, Value>) {
        seal(fields, "clientSecret");
    }
}

impl GroupRoles {
    const MOST: usize = 100;
    const LONGEST: usize = 256;
}

impl Component for GroupRoles {
    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let object = place.object(value)?;
        if object.len() > Self::MOST {
            let rule = format!("have at most {} groups", Self::MOST);
            return place.must(FaultCode::Length, rule);
        }
        let mut roles = BTreeMap::new();
        for (group, role) in object {
            let mut place = place.at(escaped(group));
            if let Err(error) = Form::Line.check(group, 1, Self::LONGEST) {
                let _: Reading<()> = place.must(error.code(), error);
            } else if let Some(role) = Role::read(role, &mut place) {
                roles.insert(group.clone(), role);
            }
        }
        (roles.len() == object.len()).then_some(Self(roles))
    }
}

impl PartialSchema for GroupRoles {
    fn schema() -> Schema {
        let about = "Roles by the provider's groups. Of several groups, the highest role counts.";
        map_of(Role::field_schema())
            .description(Some(about))
            .examples([json!({"Workdesk admins": "admin"})])
            .into()
    }
}

impl ToSchema for GroupRoles {
    fn schemas(schemas: &mut Vec<(String, Schema)>) {
        Role::field_schemas(schemas);
    }
}
