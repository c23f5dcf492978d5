//! The user whom verified claims name.

use serde_json::{Map, Value};
use shared::{
    endpoint::*,
    model::{
        base::{
            Email, FullName, Username,
            input::{Field, InputPlace},
        },
        people::{SignInFault, SignInProvider},
    },
    store::people::ProviderUser,
};

use super::token::{instant, subject};

/// The claims of an ID token and, if it lacks some, of the user info.
pub(super) struct Claims {
    pub(super) all: Map<String, Value>,
    /// False if the user info was needed and could not be read.
    pub(super) is_whole: bool,
}

impl Claims {
    /// True if the user info may say more about the user: the address, or the groups.
    pub(super) fn are_thin(&self, provider: &SignInProvider) -> bool {
        !self.all.contains_key("email") || self.lacks_groups(provider)
    }

    /// True if roles depend on groups, and no claim has them.
    fn lacks_groups(&self, provider: &SignInProvider) -> bool {
        !provider.roles.0.is_empty()
            && self
                .find(&provider.groups_claim)
                .is_none()
    }

    /// Adds the claims of the user info. Those of the token count.
    pub(super) fn complete(&mut self, user_info: Map<String, Value>) {
        for (name, claim) in user_info {
            self.all.entry(name).or_insert(claim);
        }
    }

    /// Returns when the user showed credentials, if the provider says so.
    pub(super) fn auth_time(&self) -> Option<Timestamp> {
        self.all
            .get("auth_time")
            .and_then(instant)
    }

    /// Returns the user. `groups_missing` if the token only points to the groups, or if the user
    /// info could not be read: the user may have some.
    pub(super) fn user(
        &self,
        provider: &SignInProvider,
        signed_in_at: Option<Timestamp>,
    ) -> Result<ProviderUser, SignInFault> {
        let may_have_groups = !self.is_whole || self.points_to_groups(provider);
        if may_have_groups && self.lacks_groups(provider) {
            return Err(SignInFault::GroupsMissing);
        }
        let email = self.all.get("email").and_then(address);
        let named = self
            .text("preferred_username")
            .map(str::to_owned);
        let named = named
            .into_iter()
            .chain(email.as_deref().map(str::to_owned));
        let usernames = named.flat_map(|name| {
            [
                name.split('@')
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
                name,
            ]
        });
        let full_name = self.text("name").map(str::to_owned);
        Ok(ProviderUser {
            sub: subject(&self.all).ok_or(SignInFault::TokenInvalid)?,
            email_verified: self.has_verified_email(),
            email,
            full_name: full_name.and_then(|name| FullName::try_from(name).ok()),
            usernames: usernames
                .filter_map(|name| Username::try_from(name).ok())
                .collect(),
            groups: self.groups(provider),
            signed_in_at,
        })
    }

    /// True if the token says where the groups are, instead of which they are. Entra ID does so for
    /// a user of more than 200 groups, by `_claim_names` (OpenID Connect Core 1.0, 5.6.2) or by
    /// `hasgroups`.
    fn points_to_groups(&self, provider: &SignInProvider) -> bool {
        let claim = &*provider.groups_claim;
        let pointers = self
            .all
            .get("_claim_names")
            .and_then(Value::as_object);
        let is_pointed_to = pointers.is_some_and(|names| names.contains_key(claim));
        let has_groups = self
            .all
            .get("hasgroups")
            .is_some_and(is_true);
        is_pointed_to || (claim == "groups" && has_groups)
    }

    fn groups(&self, provider: &SignInProvider) -> Vec<String> {
        let groups: Vec<&str> = match self.find(&provider.groups_claim) {
            Some(Value::Array(groups)) => groups
                .iter()
                .filter_map(Value::as_str)
                .collect(),
            Some(Value::String(group)) => vec![group],
            // ZITADEL names each role with the organizations that grant it.
            Some(Value::Object(roles)) => {
                let granted = roles
                    .iter()
                    .filter(|(_, by)| by.is_object());
                granted
                    .map(|(role, _)| role.as_str())
                    .collect()
            }
            _ => Vec::new(),
        };
        groups
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    /// Returns a claim by its name, or by its path: `realm_access.roles` of Keycloak.
    fn find(&self, path: &str) -> Option<&Value> {
        self.all.get(path).or_else(|| {
            let mut names = path.split('.');
            let first = self.all.get(names.next()?)?;
            names.try_fold(first, |claim, name| claim.get(name))
        })
    }

    fn has_verified_email(&self) -> bool {
        self.all
            .get("email_verified")
            .is_some_and(is_true)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.all.get(name)?.as_str()
    }
}

/// Some providers send a text.
fn is_true(claim: &Value) -> bool {
    *claim == Value::Bool(true) || claim == "true"
}

/// Returns an address that a client could send, too.
fn address(email: &Value) -> Option<Email> {
    let mut faults = Vec::new();
    Email::read(email, &mut InputPlace::body(&mut faults))
}
