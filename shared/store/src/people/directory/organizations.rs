use model::{
    base::{Code, Error, Id, MAX_ID, OrOther, OrganizationId, RecordType, quota::UnitsPerSecond},
    people::{
        EntryContent, Organization, OrganizationEvent, OrganizationUpdate, PlanFeature, Suspension,
        SuspensionCause, User,
    },
};
use table::{Read, Record, Stored, Write};

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, WriteContext, record::record, records::Reference, store::id_is_taken,
        tracked::Tracked, writes::Writes,
    },
    key,
};

use super::{Directory, NewUser};

record! {
    organization: Organization = RecordType::Organization.name(),
    key: key::organization(organization.id),
    hidden: ["importOf", "leavers", "suspended"],
}

/// A change of a plan. What is `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub struct PlanChange {
    /// All features, in place of those of before and of those that this version does not know.
    pub features: Option<Vec<PlanFeature>>,
    pub units_per_second: Option<UnitsPerSecond>,
    /// Invitations a day (UTC).
    pub invitations_per_day: Option<u32>,
}

impl PlanChange {
    /// Returns true for a change of nothing.
    pub const fn is_empty(&self) -> bool {
        let has_limits = self.units_per_second.is_some() || self.invitations_per_day.is_some();
        self.features.is_none() && !has_limits
    }

    fn apply(&self, organization: &mut Organization) {
        if let Some(features) = &self.features {
            organization.plan_features = features
                .iter()
                .copied()
                .map(OrOther::from)
                .collect();
        }
        if let Some(units) = self.units_per_second {
            organization.units_per_second = units;
        }
        if let Some(invitations) = self.invitations_per_day {
            organization.invitations_per_day = invitations;
        }
    }
}

impl Tracked for Organization {
    const IS_JOURNALED: bool = true;

    fn entry_of_new(&self) -> Option<EntryContent> {
        let event = OrganizationEvent::OrganizationCreated;
        Some(EntryContent::created(event, self))
    }

    fn entry_of_change(before: &Self, after: &Self) -> Option<EntryContent> {
        EntryContent::changed(OrganizationEvent::OrganizationChanged, before, after)
    }
}

impl Directory<'_> {
    pub async fn create_organization(
        &self,
        name: String,
        plan_features: Vec<PlanFeature>,
    ) -> Result<Organization> {
        let id = self.0.next_id().await?.used();
        let (organization, writes) = self.new_organization(id, name, plan_features)?;
        self.write_new(organization, writes)
            .await
    }

    /// Creates an organization with its first admin, both or neither. 409 when the username is
    /// taken.
    pub async fn found_organization(
        &self,
        name: String,
        plan_features: Vec<PlanFeature>,
        admin: NewUser,
    ) -> Result<(Organization, User)> {
        let (id, admin_id) = tokio::try_join!(self.0.next_id(), self.0.next_id())?;
        let id = id.used();
        let admin_id = admin_id.used();
        let (organization, mut writes) = self.new_organization(id, name, plan_features)?;
        let (admin, of_admin) = self.new_user(id, admin_id, admin, None)?;
        writes.append(of_admin.noting(admin.entry_of_new()));
        writes.push(Write::create(&admin)?);
        let organization = self
            .write_new(organization, writes)
            .await?;
        Ok((organization, admin))
    }

    fn new_organization(
        self,
        id: OrganizationId,
        name: String,
        plan_features: Vec<PlanFeature>,
    ) -> Result<(Organization, Writes)> {
        let now = self.0.now();
        let organization = Organization {
            id,
            name,
            plan_features: plan_features
                .into_iter()
                .map(OrOther::from)
                .collect(),
            units_per_second: UnitsPerSecond::default(),
            invitations_per_day: Organization::usual_invitations(),
            web_url: None,
            suspended: None,
            import_of: None,
            leavers: None,
            created_at: now,
            updated_at: now,
        };
        let reference = Write::create(&Reference::from(&organization))?;
        let writes = Writes::from(vec![Write::create(&organization)?, reference]);
        let writes = writes.noting(organization.entry_of_new());
        Ok((organization, writes))
    }

    async fn write_new(self, organization: Organization, writes: Writes) -> Result<Organization> {
        // There is no journal yet, and no one else who would create one.
        let context = WriteContext::of_operator(organization.id).with_head(None);
        let done = self
            .0
            .commit(&context, writes, organization)
            .await?;
        let done = done.ok_or_else(|| id_is_taken(Organization::KIND))?;
        done.not_replayed()
    }

    /// An organization. 404 for an unknown id.
    pub async fn organization(&self, id: OrganizationId) -> Result<Stored<Organization>> {
        self.0.get(id, id).await
    }

    /// Changes the tenant's organization. Reference search finds it by its new name.
    pub async fn update_organization(
        &self,
        pending: impl Pending,
        update: OrganizationUpdate,
    ) -> Result<Stored<Organization>> {
        let change = |organization: &mut Organization| update.clone().apply(organization);
        self.change_organization(pending, change)
            .await
    }

    /// Changes the plan. 404 for an unknown organization.
    pub async fn change_plan(
        &self,
        pending: impl Pending,
        plan: PlanChange,
    ) -> Result<Stored<Organization>> {
        let change = |organization: &mut Organization| plan.apply(organization);
        self.change_organization(pending, change)
            .await
    }

    /// Returns those of these organizations that do not exist. One that does not read exists.
    pub async fn missing(&self, ids: &[OrganizationId]) -> Result<Vec<OrganizationId>> {
        let mut missing = Vec::new();
        for some in ids.chunks(100) {
            let keys = some
                .iter()
                .map(|id| key::organization(*id));
            let batch = self.0.batch(keys).await?;
            let some = some.iter().copied();
            missing.extend(some.filter(|id| !batch.has(&key::organization(*id))));
        }
        Ok(missing)
    }

    /// Suspends an organization, or lifts its suspension. Its requests end within five seconds, and
    /// its work that is due waits. 404 for an unknown organization, 409 during its import or
    /// deletion.
    pub async fn suspend(&self, tenant: Tenant, suspended: bool) -> Result<Stored<Organization>> {
        let organization = self.organization(tenant).await?;
        let busy = |suspension: &Suspension| suspension.cause != SuspensionCause::Operator;
        if organization
            .suspended
            .as_ref()
            .is_some_and(busy)
        {
            let detail = "The organization is being imported or deleted. Finish that first.";
            return Err(Error::conflict(Code::InvalidTransition, detail));
        }
        let since = self.0.now();
        let change = |organization: &mut Organization| {
            let earlier = organization
                .suspended
                .map(|suspension| suspension.since);
            organization.suspended = suspended.then(|| Suspension {
                since: earlier.unwrap_or(since),
                cause: SuspensionCause::Operator,
            });
        };
        let context = WriteContext::of_operator(tenant);
        self.change_organization(context, change)
            .await
    }

    async fn change_organization(
        &self,
        pending: impl Pending,
        change: impl Fn(&mut Organization),
    ) -> Result<Stored<Organization>> {
        let (pending, tenant) = pending.with_tenant();
        let change = |_: &WriteContext, organization: &mut Organization, now| {
            let was_called = organization.name.clone();
            change(organization);
            organization.updated_at = now;
            let mut writes = Writes::default();
            if organization.name != was_called {
                writes.push(Write::put(&Reference::from(&*organization))?);
            }
            Ok(writes)
        };
        let changed = self
            .0
            .update(pending, tenant, change)
            .await;
        self.0.recent.forget(tenant);
        changed.map(InScope::into_stored)
    }

    /// All organizations by id, for the operator, with the errors of those that do not read. Reads
    /// every id that was ever reserved: one request and at most 50 read units a hundred. No
    /// operation calls it.
    pub async fn organizations(&self) -> Result<Vec<(OrganizationId, Result<Organization>)>> {
        let last = self
            .0
            .last_id::<OrganizationId>()
            .await?;
        let ids = (1..=last.min(MAX_ID)).filter_map(OrganizationId::new);
        let ids: Vec<OrganizationId> = ids.collect();
        let mut organizations = Vec::new();
        for some in ids.chunks(100) {
            let keys = some
                .iter()
                .map(|id| key::organization(*id));
            let batch = self
                .0
                .table
                .batch_get(keys, Read::Eventual)
                .await?;
            for id in some {
                let organization = batch
                    .get(&key::organization(*id))
                    .transpose();
                organizations.extend(
                    organization
                        .map(|organization| (*id, organization.map(|stored| stored.record))),
                );
            }
        }
        Ok(organizations)
    }
}
