//! Service requests.

use model::{
    CreatedSort, Error, Fault, HistoryOf, Id, JsonText, OrganizationId, ProjectId, ReferenceId,
    ReferenceType, Resolution, ServiceRequest, ServiceRequestCreate, ServiceRequestFilter,
    ServiceRequestId, ServiceRequestUpdate, ServiceStatus, Thread, Timestamp, UserId,
};

use super::{
    Permit, Store,
    agent::HandOver,
    cleanup::Subject,
    filter::Filter,
    id_is_taken,
    key::{self, AnyKey, Gsi1, Key},
    once::id_of,
    page::{Page, Wanted},
    resolutions,
    table::{Condition, Record, Stored, Write},
};

/// Service requests.
#[derive(Clone, Copy, Debug)]
pub struct ServiceRequests<'a>(pub(super) &'a Store);

/// How a service request that was raised elsewhere or earlier has fared since. Where it tells no
/// time, that is now.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Where it stands.
    pub status: ServiceStatus,
    /// Who works on it.
    pub assignee_id: Option<UserId>,
    /// Free-form, up to 16 KiB and five levels.
    pub metadata: Option<JsonText>,
    /// When it was raised.
    pub created_at: Option<Timestamp>,
    /// When it was resolved; only of a request that is resolved or closed.
    pub resolved_at: Option<Timestamp>,
}

impl Record for ServiceRequest {
    const KIND: &'static str = "service_request";

    fn key(&self) -> Key<Self> {
        key::service_request(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::service_request_in_time(self))
    }

    fn history(&self) -> Option<HistoryOf> {
        Some(HistoryOf::ServiceRequest(self.id))
    }

    fn hand_over(&self) -> Option<HandOver> {
        Some(HandOver {
            action: self.agent_action.clone()?,
            request: self.id,
            is_over: self.status.is_over(),
        })
    }
}

impl ServiceRequests<'_> {
    /// Raises a service request, which is open. 400 when what it refers to is not the tenant's.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        creator: UserId,
        new: ServiceRequestCreate,
    ) -> Result<Stored<ServiceRequest>, Error> {
        self.create_with(permit, creator, new, Past::default())
            .await
    }

    /// Records a service request with what has happened to it since; one that was resolved counts
    /// on that day. 400 when what it refers to is not the tenant's.
    pub async fn create_with(
        &self,
        permit: impl Into<Permit>,
        creator: UserId,
        new: ServiceRequestCreate,
        past: Past,
    ) -> Result<Stored<ServiceRequest>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit| self.create_new(permit, creator, new, past).await;
        let again = async |made| self.get(tenant, id_of(made)?).await;
        permit.once(create, again).await
    }

    async fn create_new(
        &self,
        permit: Permit,
        creator: UserId,
        new: ServiceRequestCreate,
        past: Past,
    ) -> Result<Stored<ServiceRequest>, Error> {
        let tenant = permit.tenant();
        let (given, id) = permit.beside(self.0.next_id()).await?;
        let reference_type = new.reference_type;
        let reference = reference_type
            .zip(new.reference_id)
            .map(|(kind, id)| referred_to(tenant, kind, id).ok_or_else(|| unknown_reference(kind)))
            .transpose()?;
        let now = self.0.clock.now();
        let created_at = past.created_at.unwrap_or(now);
        let is_over = past.status.is_over();
        let resolved_at = is_over.then(|| past.resolved_at.unwrap_or(now));
        let request = ServiceRequest {
            status: past.status,
            assignee_id: past.assignee_id,
            metadata: past.metadata,
            resolved_at,
            updated_at: resolved_at.map_or(created_at, |at| at.max(created_at)),
            ..ServiceRequest::new(id, tenant, creator, new, created_at)
        };
        let mut writes = vec![Write::create(&request)?];
        writes.extend(reference.map(|key| Write::check(key, Condition::exists())));
        let resolution = resolved_at.map(Resolution::Made);
        writes.extend(resolution.map(|made| resolutions::count(tenant, created_at, made)));
        writes.extend(given.created(&request, now)?);
        match self.0.commit(&given, writes, Some(id.get())).await? {
            Ok(()) => Ok(Stored::created(request)),
            Err(refused) => Err(match reference_type {
                Some(kind) if !refused.at(0) => unknown_reference(kind),
                _ => id_is_taken(ServiceRequest::KIND),
            }),
        }
    }

    /// The organization's service requests that fit, by creation.
    pub async fn list(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        filter: &ServiceRequestFilter,
        sort: CreatedSort,
        wanted: &Wanted,
    ) -> Result<Page<Stored<ServiceRequest>>, Error> {
        let filter = Filter::of(caller)
            .any("status", filter.status.as_ref())?
            .any("priority", filter.priority.as_ref())?
            .any("category", filter.category.as_ref())?
            .any("assigneeId", filter.assignee_id.as_ref())?
            .any("creatorId", filter.creator_id.as_ref())?
            .since("updatedAt", filter.updated_since);
        let requests = key::service_requests(tenant)
            .filter(filter.condition())
            .descending_if(sort.is_descending());
        self.0.table.page(requests, wanted).await
    }

    /// One service request. 404 when it is not the tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        id: ServiceRequestId,
    ) -> Result<Stored<ServiceRequest>, Error> {
        let key = key::service_request(tenant, id);
        self.0.one(&key, ServiceRequestId::NOUN).await
    }

    /// Changes a service request, and counts its resolution when it is resolved, or no longer when
    /// it is opened again. 404 when it is not the tenant's, 400 when its assignee is not, 409 when
    /// its status may not become what is asked for.
    pub async fn update(
        &self,
        permit: impl Into<Permit>,
        id: ServiceRequestId,
        update: ServiceRequestUpdate,
    ) -> Result<Stored<ServiceRequest>, Error> {
        let permit = permit.into();
        let key = key::service_request(permit.tenant(), id);
        let assignee = update.assignee_id.value().copied();
        let change = |request: &mut ServiceRequest, now| {
            let resolution = request.change(update.clone(), now)?;
            Ok(resolution.map(|it| (request.created_at, it)))
        };
        self.0
            .update_assigned(permit, key, ServiceRequestId::NOUN, assignee, change)
            .await
    }

    /// Deletes a service request, unless `allow` refuses when it sees it, which it does once the
    /// permit is given. From that moment its
    /// comments are out of reach; the sweeper deletes them, whatever their number. A resolution
    /// stays counted. 404 when the request is not the tenant's.
    pub async fn delete(
        &self,
        permit: impl Into<Permit>,
        id: ServiceRequestId,
        allow: impl AsyncFnOnce(&ServiceRequest) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let permit = permit.into();
        let key = key::service_request(permit.tenant(), id);
        let comments = |_: &ServiceRequest| Subject::Thread(Thread::ServiceRequest(id));
        self.0
            .delete_with_cleanup(permit, key, ServiceRequestId::NOUN, comments, allow)
            .await
    }
}

/// The record that a reference names; `None` when the tenant cannot have it.
fn referred_to(tenant: OrganizationId, kind: ReferenceType, id: ReferenceId) -> Option<AnyKey> {
    match kind {
        ReferenceType::Project => {
            ProjectId::new(id.get()).map(|id| key::project(tenant, id).into())
        }
        ReferenceType::Organization => {
            (id == tenant.into()).then(|| key::organization(tenant).into())
        }
    }
}

fn unknown_reference(kind: ReferenceType) -> Error {
    Error::invalid(Fault::unknown(
        "referenceId",
        match kind {
            ReferenceType::Project => ProjectId::NOUN,
            ReferenceType::Organization => OrganizationId::NOUN,
        },
    ))
}
