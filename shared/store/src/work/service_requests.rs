use std::ops::Deref;

use model::{
    base::{
        AnyOf, CreatedSort, Error, Fault, HistoryOf, Id, JsonText, ProjectId, ReferenceType,
        ServiceRequestId, Timestamp, Title, UserId,
    },
    people::Place,
    work::{
        Resolution, ServiceRequest, ServiceRequestCreate, ServiceRequestFilter,
        ServiceRequestUpdate, ServiceStatus,
    },
};
use table::{
    Batch, Condition, Stored, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, Reader, WriteContext,
        filter::Filter,
        named::{Named, Names},
        reads::{in_first_index, titled_page},
        record::record,
        store::resource,
        texts,
        tracked::{HandOver, Tracked},
        writes::Writes,
    },
    key::{self, Keyed},
    people::directory::NamedCustomer,
    work::{
        assignee::Assignee,
        references::referred_to,
        resolutions,
        tagging::{self, CarriedTag},
    },
};

resource! { pub ServiceRequests as service_requests }

/// The past of a service request that was raised earlier, or in another system. A time that is
/// `None` is the current one.
#[derive(Clone, Debug, Default)]
pub struct Past {
    pub status: ServiceStatus,
    pub assignee_id: Option<UserId>,
    /// Free-form, up to 16 KiB and five levels.
    pub metadata: Option<JsonText>,
    pub created_at: Option<Timestamp>,
    /// Time of resolution; only for status resolved or closed.
    pub resolved_at: Option<Timestamp>,
}

/// A service request with its tags, by id.
#[derive(Clone, Debug)]
pub struct TaggedRequest {
    pub request: InScope<ServiceRequest>,
    pub tags: Vec<CarriedTag>,
}

impl Deref for TaggedRequest {
    type Target = Stored<ServiceRequest>;

    fn deref(&self) -> &Stored<ServiceRequest> {
        &self.request
    }
}

impl TaggedRequest {
    pub(crate) fn new(request: InScope<ServiceRequest>, named: &Named) -> Self {
        Self {
            tags: named.tags(&request.tag_ids),
            request,
        }
    }
}

record! {
    request: ServiceRequest, id: ServiceRequestId,
    number_sets: [tagging::TAG_IDS],
    long_text: texts::DESCRIPTION,
    gsi1: Some(key::service_request_in_time(request)),
    gsi3: key::service_request_of_customer(request),
    hidden: ["organizationId", "metadata", "agentAction", "resolvedAt", "tagIds"],
}

impl Tracked for ServiceRequest {
    fn history(&self) -> Option<HistoryOf> {
        Some(self.id.into())
    }

    fn hand_over(&self) -> Option<HandOver> {
        Some(HandOver {
            action: self.agent_action.clone()?,
            request: self.id,
            is_over: self.status.is_over(self.resolved_at),
        })
    }
}

impl ServiceRequests<'_> {
    /// Creates a service request, which is open. 400 when the record that it refers to is not the
    /// tenant's.
    pub async fn create(
        &self,
        pending: impl Pending,
        creator: UserId,
        new: ServiceRequestCreate,
    ) -> Result<TaggedRequest> {
        let (pending, tenant) = pending.with_tenant();
        let created = self.create_with(pending, creator, new, Past::default());
        // A replay answers the record as it is now.
        self.tagged(tenant, created.await?)
            .await
    }

    /// Creates a service request with a past. A resolution counts on its day. 400 when the record
    /// that it refers to is not the tenant's.
    pub async fn create_with(
        &self,
        pending: impl Pending,
        creator: UserId,
        new: ServiceRequestCreate,
        past: Past,
    ) -> Result<InScope<ServiceRequest>> {
        let (pending, tenant) = pending.with_tenant();
        let customer = NamedCustomer::new(tenant, new.customer_id.as_ref());
        let customers = self.0.batch(customer.key());
        let request = |context: &WriteContext, id, customers: Batch, now| {
            customer.known(&customers, None)?;
            let mut writes = Writes::default();
            if let Some((kind, id)) = new.reference_type.zip(new.reference_id) {
                let fault = || Fault::unknown("referenceId", kind.facts().noun);
                let unknown = || Error::invalid(fault());
                let project = ProjectId::new(id.get()).filter(|_| kind == ReferenceType::Project);
                let place = Place::of_project(project);
                let key = referred_to(tenant, kind, id).filter(|_| context.sees_place(place));
                let key = key.ok_or_else(unknown)?;
                writes.push_or(Write::check(key, Condition::exists()), unknown());
            }
            let created_at = past.created_at.unwrap_or(now);
            let is_over = past.status.is_over();
            let resolved_at = is_over.then(|| past.resolved_at.unwrap_or(now));
            let resolution = resolved_at.map(Resolution::Made);
            writes.extend(resolution.map(|made| resolutions::count(tenant, created_at, made)));
            let request = ServiceRequest {
                status: past.status.into(),
                assignee_id: past.assignee_id,
                metadata: past.metadata,
                resolved_at,
                updated_at: resolved_at.map_or(created_at, |at| at.max(created_at)),
                ..ServiceRequest::new(id, tenant, creator, new, created_at)
            };
            Ok((request, writes))
        };
        self.0
            .create(pending, customers, request)
            .await
    }

    /// The organization's service requests that match a filter, by creation.
    pub async fn list(
        &self,
        reader: &Reader,
        caller: UserId,
        filter: &ServiceRequestFilter,
        sort: CreatedSort,
        wanted: &PageRequest,
    ) -> Result<Page<TaggedRequest>> {
        let tenant = reader.tenant;
        let page = self
            .page(tenant, caller, filter, sort, wanted)
            .await?;
        let page = self
            .0
            .scoped()
            .page(reader, page)
            .await?;
        let tags = page
            .records()
            .map(|request| &request.tag_ids);
        let named = self
            .0
            .named(tenant, Names::of_tags(tags))
            .await?;
        let wanted_tags = filter.tag_id.as_ref();
        // Drops rows that matched the filter by a deleted tag.
        Ok(page.filter_map(|request| {
            let request = TaggedRequest::new(request, &named);
            let fits = wanted_tags.is_none_or(|wanted| tagging::fits(wanted, &request.tags));
            fits.then_some(request)
        }))
    }

    async fn page(
        &self,
        tenant: Tenant,
        caller: UserId,
        filter: &ServiceRequestFilter,
        sort: CreatedSort,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<ServiceRequest>>> {
        if let Some(AnyOf(ids)) = &filter.id {
            let keys = ids.iter().map(|id| id.key(tenant));
            let fits = |request: &ServiceRequest| filter.fits(request, caller);
            let store = self.0;
            let descending = sort == CreatedSort::NewestFirst;
            let rows = store.rows_by_id(keys, fits, in_first_index, descending, wanted);
            return store.whole_page(rows.await?).await;
        }
        let query = filter.query.as_ref();
        let customer = filter
            .customer_id
            .as_ref()
            .and_then(AnyOf::only_value);
        let filter = Filter::of(caller)
            .any("status", filter.status.as_ref())?
            .any("priority", filter.priority.as_ref())?
            .any("category", filter.category.as_ref())?
            .any("assigneeId", filter.assignee_id.as_ref())?
            .any("creatorId", filter.creator_id.as_ref())?
            .any("customerId", filter.customer_id.as_ref())?
            .having(tagging::TAG_IDS, filter.tag_id.as_ref())?
            .since("updatedAt", filter.updated_since);
        let condition = filter.condition();
        let descending = sort == CreatedSort::NewestFirst;
        let table = &self.0.table;
        let title: fn(&ServiceRequest) -> &Title = |request| &request.title;
        let page = if let Some(customer) = customer {
            let requests = key::service_requests_of_customer(tenant, customer).filter(condition);
            let requests = requests.descending_if(descending);
            titled_page(table, requests, title, query, wanted).await?
        } else {
            let requests = key::service_requests(tenant).filter(condition);
            let requests = requests.descending_if(descending);
            titled_page(table, requests, title, query, wanted).await?
        };
        self.0.whole_page(page).await
    }

    /// One service request. 404 when it is not the tenant's.
    pub async fn get(&self, reader: &Reader, id: ServiceRequestId) -> Result<TaggedRequest> {
        let request = self.0.scoped().get(reader, id).await?;
        self.tagged(reader.tenant, request)
            .await
    }

    /// A service request with its tags. Without any, that takes no request.
    async fn tagged(
        &self,
        tenant: Tenant,
        request: InScope<ServiceRequest>,
    ) -> Result<TaggedRequest> {
        let tags = Names::of_tags([&request.tag_ids]);
        let named = self.0.named(tenant, tags).await?;
        Ok(TaggedRequest::new(request, &named))
    }

    /// Changes a service request. Counts its resolution, and no longer counts it when it is
    /// reopened. 404 when it is not the tenant's, 400 when its new assignee is not, 409 for a
    /// forbidden change of status.
    pub async fn update(
        &self,
        pending: impl Pending,
        id: ServiceRequestId,
        update: ServiceRequestUpdate,
    ) -> Result<TaggedRequest> {
        let (pending, tenant) = pending.with_tenant();
        let assignee = Assignee::new(tenant, update.assignee_id.value());
        let customer = NamedCustomer::new(tenant, update.customer_id.value());
        let keys = assignee
            .key()
            .into_iter()
            .chain(customer.key())
            .chain([id.key(tenant).into()]);
        let mut plan = self.0.plan(pending, keys).await?;
        loop {
            let read = plan.read().await?;
            let mut draft = plan.draft(&read, id).await?;
            let before = &draft.before;
            let faults = assignee
                .fault(&read, before.assignee_id)
                .into_iter();
            let faults = faults.chain(customer.fault(&read, before.customer_id)?);
            Error::unless_valid(faults.collect())?;
            let resolution = draft
                .after
                .change(update.clone(), draft.now)?;
            let created_at = draft.after.created_at;
            let counted = resolution.map(|made| resolutions::count(tenant, created_at, made));
            draft.writes.extend(counted);
            let tags = Names::of_tags([&draft.after.tag_ids]);
            let written = plan.write(draft);
            let (done, named) = tokio::try_join!(written, self.0.named(tenant, tags))?;
            if let Some(done) = done {
                return Ok(TaggedRequest::new(done.not_replayed()?, &named));
            }
        }
    }

    /// Deletes a service request, unless `allow` refuses its creator. Its comments are unreachable
    /// from then on, and the sweeper deletes them. A resolution stays counted. 404 when it is not
    /// the tenant's.
    pub async fn delete<A: Future<Output = Result<()>>>(
        &self,
        pending: impl Pending,
        id: ServiceRequestId,
        allow: impl Fn(UserId) -> A,
    ) -> Result<()> {
        let allow = |request: &ServiceRequest| allow(request.creator_id);
        let comments = |_: &ServiceRequest| (id.into(), Writes::default());
        self.0
            .delete_if(pending, id, allow, comments)
            .await
    }
}
