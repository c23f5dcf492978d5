//! Service requests, and the priorities of tasks, service requests and tickets.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        AgentSessionId, AnyOf, CarriedTags, Category, CustomerId, Description, Error, FaultCode,
        Ids, JsonObject, JsonText, OrNone, OrOther, OrganizationId, ReferenceId, ReferenceType,
        ServiceRequestId, Timestamp, Title, TitleWords, UserId, WantedTags, Who,
        input::{Defaulted, InputPlace, Patch, PatchField, Reading},
    },
    input, names,
    work::{Resolution, ServiceStatus},
};

/// A request to the organization's services.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRequest {
    pub id: ServiceRequestId,
    pub organization_id: OrganizationId,
    pub title: Title,
    pub description: Option<Description>,
    #[schema(value_type = ServiceStatus)]
    pub status: OrOther<ServiceStatus>,
    #[schema(value_type = Priority)]
    pub priority: OrOther<Priority>,
    /// A category of the organization's own.
    pub category: Option<Category>,
    pub creator_id: UserId,
    /// The customer whom it concerns.
    #[serde(default)]
    pub customer_id: Option<CustomerId>,
    /// The user who works on it.
    pub assignee_id: Option<UserId>,
    /// The type of the record that it refers to; set together with `reference_id`.
    #[schema(value_type = Option<ReferenceType>)]
    pub reference_type: Option<OrOther<ReferenceType>>,
    pub reference_id: Option<ReferenceId>,
    /// The ids of its tags, some of which may have been deleted.
    #[serde(default)]
    #[schema(ignore)]
    pub tag_ids: CarriedTags,
    /// Free-form.
    #[schema(value_type = Option<JsonObject>)]
    pub metadata: Option<JsonText>,
    /// The manual action of the agent that was handed over with this request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_action: Option<ActionRef>,
    /// When it was last resolved or closed; null while it is neither.
    pub resolved_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The manual action for which a service request was raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionRef {
    pub session_id: AgentSessionId,
    pub action_id: String,
}

input! {
    pub struct ServiceRequestCreate {
        title: Title,
        description: Option<Description>,
        priority: Defaulted<Priority>,
        category: Option<Category>,
        /// Sent together with `referenceId`.
        reference_type: Option<ReferenceType>,
        /// A project of the caller's organization, or the organization itself.
        reference_id: Option<ReferenceId>,
        /// A customer of the organization that is not archived.
        customer_id: Option<CustomerId>,
    }
    check(reference_type, reference_id) come_together;
    schema all_or_none_given(reference_type, reference_id);
    example {
        "title": "Add a cost center to our invoices",
        "description": "Our accounting needs it in the header of each invoice.", "priority": "high",
        "category": "billing", "referenceType": "project", "referenceId": 1,
    };

    /// A change of a service request: at least one field. An absent field is kept, null clears it.
    pub struct ServiceRequestUpdate {
        title: PatchField<Title>,
        description: Patch<Description>,
        priority: PatchField<Priority>,
        category: Patch<Category>,
        /// A user of the organization.
        assignee_id: Patch<UserId>,
        /// A status that the current one may change to; see `ServiceStatus`.
        status: PatchField<ServiceStatus>,
        /// A customer of the organization that is not archived.
        customer_id: Patch<CustomerId>,
    }
    needs any;
    example {"status": "in_progress", "assigneeId": 1, "category": null};

    pub struct ServiceRequestFilter {
        /// Requests with these ids. They are read by id, so none lags behind a write.
        id: Option<Ids<ServiceRequestId>>,
        status: Option<AnyOf<ServiceStatus>>,
        priority: Option<AnyOf<Priority>>,
        /// One of these, or `none`. Commas separate them. If the parameter is repeated, commas are
        /// part of the categories: to name a single one with a comma, send it twice.
        category: Option<AnyOf<OrNone<Category>>>,
        assignee_id: Option<AnyOf<OrNone<Who>>>,
        creator_id: Option<AnyOf<Who>>,
        customer_id: Option<AnyOf<OrNone<CustomerId>>>,
        tag_id: Option<WantedTags>,
        /// Changed at this instant or after it.
        updated_since: Option<Timestamp>,
        /// Words, each of which must begin a word of the title, without regard to case and accents.
        query: Option<TitleWords>,
    }
}

impl ServiceRequestFilter {
    pub fn fits(&self, request: &ServiceRequest, caller: UserId) -> bool {
        let status = self.status.as_ref();
        let priority = self.priority.as_ref();
        let assignee = self.assignee_id.as_ref();
        let creator = self.creator_id.as_ref();
        let category = self.category.as_ref();
        let customer = self.customer_id.as_ref();
        let tag = self.tag_id.as_ref();
        let by_creator = |who: &Who| who.user(caller) == request.creator_id;
        status.is_none_or(|any| any.has(&request.status))
            && priority.is_none_or(|any| any.has(&request.priority))
            && category.is_none_or(|any| any.names(request.category.as_ref()))
            && assignee.is_none_or(|any| any.names_user(request.assignee_id, caller))
            && creator.is_none_or(|any| any.0.iter().any(by_creator))
            && customer.is_none_or(|any| any.names(request.customer_id.as_ref()))
            && tag.is_none_or(|any| any.names_one_of(&request.tag_ids))
            && self
                .updated_since
                .is_none_or(|at| request.updated_at >= at)
            && self
                .query
                .as_ref()
                .is_none_or(|query| query.begin_words_of(&request.title))
    }
}

fn come_together(
    kind: Reading<&Option<ReferenceType>>,
    id: Reading<&Option<ReferenceId>>,
    body: &mut InputPlace<'_>,
) {
    let has_kind = !matches!(kind, Some(None));
    let has_id = !matches!(id, Some(None));
    let mut lacks = |missing: &str, sent: &str| {
        let detail = format!("Send `{missing}` with `{sent}`.");
        body.at(missing)
            .report(FaultCode::Required, detail);
    };
    if has_kind && !has_id {
        lacks("referenceId", "referenceType");
    } else if has_id && !has_kind {
        lacks("referenceType", "referenceId");
    }
}

impl ServiceRequest {
    pub fn new(
        id: ServiceRequestId,
        tenant: OrganizationId,
        creator: UserId,
        create: ServiceRequestCreate,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            organization_id: tenant,
            title: create.title,
            description: create.description,
            status: ServiceStatus::Open.into(),
            priority: create.priority.0.into(),
            category: create.category,
            creator_id: creator,
            customer_id: create.customer_id,
            assignee_id: None,
            reference_type: create.reference_type.map(OrOther::from),
            reference_id: create.reference_id,
            tag_ids: CarriedTags::new(),
            metadata: None,
            agent_action: None,
            resolved_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Changes the service request. Returns the change of its resolution, if there is one. 409 if
    /// its status may not change to the new one.
    pub fn change(
        &mut self,
        update: ServiceRequestUpdate,
        now: Timestamp,
    ) -> Result<Option<Resolution>, Error> {
        let resolved_at = &mut self.resolved_at;
        let resolution = self
            .status
            .change(update.status, resolved_at, now)?;
        update.title.apply(&mut self.title);
        update
            .description
            .apply(&mut self.description);
        update
            .priority
            .apply(&mut self.priority);
        update
            .category
            .apply(&mut self.category);
        update
            .assignee_id
            .apply(&mut self.assignee_id);
        update
            .customer_id
            .apply(&mut self.customer_id);
        self.updated_at = now;
        Ok(resolution)
    }

    pub fn reopens_on_comment_of(&self, user: UserId) -> bool {
        self.creator_id == user && self.status.reopens_on_answer()
    }

    /// Opens it again. Returns the change of its resolution, if there is one. 409 if it is closed.
    pub fn reopen(&mut self, now: Timestamp) -> Result<Option<Resolution>, Error> {
        self.updated_at = now;
        self.status
            .set(ServiceStatus::Open, &mut self.resolved_at, now)
    }
}

names! {
    /// The priority of a task, service request or ticket.
    #[derive(Default)]
    pub enum Priority = "a priority" {
        Low: "Can wait.",
        Medium = default: "Normal.",
        High: "Soon.",
        Urgent: "At once.",
    }
}
