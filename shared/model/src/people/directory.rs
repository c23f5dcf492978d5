use serde::{Deserialize, Serialize};
use strum::EnumString;
use utoipa::ToSchema;

use crate::{
    base::{
        Code, Error, Ids, OrOther, OrganizationId, OrganizationName, TagId, TagName, Timestamp,
        UserId, address,
        input::{Patch, PatchField},
        quota::UnitsPerSecond,
        sort::sort,
        span,
    },
    input, names,
    people::{Demand, User},
    plain_text, short_form,
};

/// A tenant.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    pub id: OrganizationId,
    /// Display name, 1 to 255 characters.
    pub name: String,
    #[schema(value_type = Vec<PlanFeature>)]
    pub plan_features: Vec<OrOther<PlanFeature>>,
    /// The table units a second that the plan includes.
    #[serde(default)]
    #[schema(required = true)]
    pub units_per_second: UnitsPerSecond,
    /// The invitations a day (UTC) that the plan includes.
    #[serde(default = "Organization::usual_invitations")]
    #[schema(required = true)]
    pub invitations_per_day: u32,
    /// The address of the desk, for links of mails, notifications and webhooks; null for the
    /// deployment's own.
    pub web_url: Option<WebUrl>,
    /// None while the organization works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub suspended: Option<Suspension>,
    /// The export of an import that has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub import_of: Option<ImportOf>,
    /// None without a provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub leavers: Option<LeaverRule>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The end of sessions and tokens of users whom the organization's provider signs in no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaverRule {
    /// Days from the last sign-in by the provider to the end.
    pub days: i64,
    /// The start of the rule.
    pub since: Timestamp,
    /// The admins who sign in by password all the same. The rule spares them.
    pub except: Vec<UserId>,
}

impl LeaverRule {
    /// Returns true if sessions and tokens of the user have ended. A sign-in before the rule counts
    /// from its start.
    pub fn has_ended(&self, user: &User, now: Timestamp) -> bool {
        let Some(subject) = &user.provider_subject else {
            return false;
        };
        let earlier = self.since.max(user.updated_at);
        let last = subject.signed_in_at.unwrap_or(earlier);
        let is_spared = self.except.contains(&user.id) && user.is_enabled_admin();
        now.since(last) >= self.days * span::DAY && !is_spared
    }
}

/// A suspension by the operator. All requests are refused, and all work that is due waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspension {
    pub since: Timestamp,
    pub cause: SuspensionCause,
}

/// An export, by the first line of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportOf {
    pub organization: OrganizationId,
    pub at: Timestamp,
}

names! {
    /// The cause of a suspension.
    pub enum SuspensionCause {
        Operator: "The operator's decision, which the operator may lift.",
        Import: "An import that has not ended.",
        Deletion: "A deletion that has not ended.",
    }

    /// A feature that the operator may include in an organization's plan.
    #[derive(EnumString)]
    pub enum PlanFeature {
        AgentAi as "agentAI": "The resolution agent.",
    }
}

impl Organization {
    /// 403 while the organization is suspended.
    pub fn works(&self) -> Result<(), Error> {
        let detail = "Your organization is suspended. Ask the operator of the service.";
        let refusal = |_| Err(Error::forbidden(Code::OrganizationSuspended, detail));
        self.suspended.map_or(Ok(()), refusal)
    }

    /// Returns true if the user's sessions and tokens may still hold.
    pub fn keeps(&self, user: &User, now: Timestamp) -> bool {
        let leavers = self.leavers.as_ref();
        !leavers.is_some_and(|leavers| leavers.has_ended(user, now))
    }

    /// The invitations a day of a plan that names none.
    pub const fn usual_invitations() -> u32 {
        50
    }

    pub fn has(&self, feature: PlanFeature) -> bool {
        self.plan_features
            .iter()
            .any(|included| *included == feature)
    }
}

impl OrganizationUpdate {
    /// Returns what the change demands of its caller. The desk's address guards: links of mails
    /// lead there.
    pub fn demand(&self) -> Demand {
        let Self { name, web_url } = self;
        let of_name = Demand::Nothing.if_sent(name.is_sent());
        of_name.max(Demand::Root.if_sent(web_url.is_sent()))
    }
}

/// A tag of the organization, for tasks and activities.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tag {
    pub id: TagId,
    pub organization_id: OrganizationId,
    /// Unique in the organization without regard to case.
    pub name: TagName,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

input! {
    pub struct TagFilter {
        /// Tags with these ids. They are read by id, so none lags behind a write.
        id: Option<Ids<TagId>>,
    }

    pub struct TagCreate { name: TagName }
    example {"name": "year end"};

    pub struct TagUpdate { name: PatchField<TagName> }
    changes Tag;
    needs any;
    example {"name": "quarter end"};

    /// A change of an organization. An absent field is kept, null clears it.
    pub struct OrganizationUpdate {
        name: PatchField<OrganizationName>,
        web_url: Patch<WebUrl>,
    }
    changes Organization;
    needs any;
    example {"name": "Halden Services"};
}

short_form! {
    /// A tag as part of other records.
    TagRef of Tag { id: TagId, name: TagName }
}

sort! {
    TagSort = "name": "Tags: by name, without regard to case.";
}

plain_text! {
    /// The address of the organization's desk, to which links append `/#/tasks/17`.
    WebUrl, r"^(https://[a-z0-9.-]+|http://([a-z0-9-]+\.)*localhost)(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?$", 200,
    "https://desk.example.com", is_desk,
    "an https URL, or an http URL of localhost, with a host in lower case, and neither user, query nor fragment";
}

fn is_desk(url: &str) -> bool {
    let origin = address::split(url).map_or("", |(origin, _)| origin);
    let is_local = origin
        .strip_prefix("http://")
        .is_some_and(|authority| {
            let host = authority
                .split(':')
                .next()
                .unwrap_or_default();
            host.rsplit('.').next() == Some("localhost")
        });
    address::is_base(url) && (is_local || origin.starts_with("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::input::Field;
    use crate::base::input::InputPlace;

    #[test]
    fn an_address_is_https_or_of_this_machine() {
        let is_one = |text: &str| {
            let mut faults = Vec::new();
            WebUrl::read(&text.into(), &mut InputPlace::body(&mut faults)).is_some()
        };
        let good = "https://desk.example.com https://example.com:8443/desk/ http://localhost:9000 \
                    http://app.localhost:3000/";
        for good in good.split(' ') {
            assert!(is_one(good), "{good}");
        }
        let bad = "desk.example.com http://desk.example.com http://localhost.example.com \
                   http://notlocalhost https://desk.example.com/#/ javascript:alert(1)";
        for bad in bad.split(' ') {
            assert!(!is_one(bad), "{bad}");
        }
    }
}
