//! Service requests.

use model::{
    Error, Fault, Id, JsonText, OrganizationId, Priority, ProjectId, ReferenceType, ServiceRequest,
    ServiceRequestId, ServiceStatus, Thread, Timestamp, UserId,
};

use super::{
    Permit, Store,
    cleanup::Subject,
    id_is_taken,
    key::{self, AnyKey, Gsi1, Key},
    resolutions,
    table::{Condition, OrNotFound, Read, Record, Write},
};

/// Service requests.
#[derive(Clone, Copy, Debug)]
pub struct ServiceRequests<'a>(pub(super) &'a Store);

/// What a service request begins with.
#[derive(Clone, Debug)]
pub struct NewServiceRequest {
    /// 1 to 255 characters.
    pub title: String,
    /// Up to 50,000 characters.
    pub description: Option<String>,
    /// How pressing it is.
    pub priority: Priority,
    /// Up to 100 characters.
    pub category: Option<String>,
    /// Who raises it.
    pub creator_id: UserId,
    /// The record that it is about: its type and its id.
    pub reference: Option<(ReferenceType, i64)>,
}

/// How a service request that was raised elsewhere or earlier has fared since. Where it tells no
/// time, that is now.
#[derive(Clone, Debug, Default)]
pub struct History {
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
}

impl ServiceRequests<'_> {
    /// Raises a service request, which is open. 400 when what it refers to is not the tenant's.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        new: NewServiceRequest,
    ) -> Result<ServiceRequest, Error> {
        self.create_with(permit, new, History::default()).await
    }

    /// Records a service request with what has happened to it since; one that was resolved counts
    /// on that day. 400 when what it refers to is not the tenant's.
    pub async fn create_with(
        &self,
        permit: impl Into<Permit>,
        new: NewServiceRequest,
        history: History,
    ) -> Result<ServiceRequest, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let id = permit.beside(self.0.next_id()).await?;
        let reference = new
            .reference
            .map(|(kind, id)| referred_to(tenant, kind, id).ok_or_else(|| unknown_reference(kind)))
            .transpose()?;
        let now = self.0.clock.now();
        let created_at = history.created_at.unwrap_or(now);
        let is_over = matches!(
            history.status,
            ServiceStatus::Resolved | ServiceStatus::Closed
        );
        let resolved_at = is_over.then(|| history.resolved_at.unwrap_or(now));
        let (reference_type, reference_id) = new.reference.unzip();
        let request = ServiceRequest {
            id,
            organization_id: tenant,
            title: new.title,
            description: new.description,
            status: history.status,
            priority: new.priority,
            category: new.category,
            creator_id: new.creator_id,
            assignee_id: history.assignee_id,
            reference_type,
            reference_id,
            metadata: history.metadata,
            resolved_at,
            created_at,
            updated_at: resolved_at.map_or(created_at, |at| at.max(created_at)),
        };
        let mut writes = vec![Write::create(&request)?];
        writes.extend(reference.map(|key| Write::check(key, Condition::exists())));
        writes.extend(resolved_at.map(|at| resolutions::count(tenant, created_at, at, 1)));
        match self.0.table.transact(writes).await? {
            Ok(()) => Ok(request),
            Err(refused) => Err(match reference_type {
                Some(kind) if !refused.at(0) => unknown_reference(kind),
                _ => id_is_taken(ServiceRequest::KIND),
            }),
        }
    }

    /// One service request. 404 when it is not the tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        id: ServiceRequestId,
    ) -> Result<ServiceRequest, Error> {
        let key = key::service_request(tenant, id);
        let request = self.0.table.get(&key, Read::Consistent).await?;
        Ok(request.or_not_found(ServiceRequestId::NOUN)?.record)
    }

    /// Deletes a service request, unless `allow` refuses when it sees it, which it does once the
    /// permit is given. From that moment its
    /// comments are out of reach; the sweeper deletes them, whatever their number. A resolution
    /// stays counted. 404 when the request is not the tenant's.
    pub async fn delete(
        &self,
        permit: impl Into<Permit>,
        id: ServiceRequestId,
        allow: impl AsyncFnOnce(ServiceRequest) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        allow(permit.beside(self.get(tenant, id)).await?).await?;
        let key = key::service_request(tenant, id);
        let comments = Subject::Thread(Thread::ServiceRequest(id));
        let deleted = self.0.delete_with_cleanup(tenant, key, comments).await?;
        deleted.or_not_found(ServiceRequestId::NOUN)
    }
}

/// The record that a reference names; `None` when the tenant cannot have it.
fn referred_to(tenant: OrganizationId, kind: ReferenceType, id: i64) -> Option<AnyKey> {
    match kind {
        ReferenceType::Project => ProjectId::new(id).map(|id| key::project(tenant, id).into()),
        ReferenceType::Organization => {
            (id == tenant.get()).then(|| key::organization(tenant).into())
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
