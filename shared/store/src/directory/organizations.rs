//! Organizations.

use model::{
    Error, Id, MAX_ID, Organization, OrganizationId, OrganizationUpdate, PlanFeature, User,
};

use super::{Directory, NewUser, Reference};
use crate::{
    Given, Permit,
    key::{self, Key},
    table::{Read, Record, Stored, Write},
};

impl Record for Organization {
    const KIND: &'static str = "organization";

    fn key(&self) -> Key<Self> {
        key::organization(self.id)
    }
}

impl Directory<'_> {
    /// Creates an organization.
    pub async fn create_organization(
        &self,
        name: String,
        plan_features: Vec<PlanFeature>,
    ) -> Result<Organization, Error> {
        let id = self.0.next_id().await?;
        let organization = self.new_organization(id, name, plan_features);
        let reference = Reference::from(&organization);
        let writes = vec![Write::create(&organization)?, Write::create(&reference)?];
        self.0.create_all(&Given::from(id), writes, id).await?;
        Ok(organization)
    }

    /// Creates an organization and its first admin, both or neither. 409 when the username is taken.
    pub async fn found_organization(
        &self,
        name: String,
        plan_features: Vec<PlanFeature>,
        admin: NewUser,
    ) -> Result<(Organization, User), Error> {
        let (id, admin_id) = tokio::try_join!(self.0.next_id(), self.0.next_id())?;
        let organization = self.new_organization(id, name, plan_features);
        let (admin, mut writes) = self.new_user(organization.id, admin_id, admin)?;
        writes.extend([
            Write::create(&organization)?,
            Write::create(&Reference::from(&organization))?,
        ]);
        let given = Given::from(organization.id);
        self.write_new_user(&given, writes, admin_id).await?;
        Ok((organization, admin))
    }

    fn new_organization(
        self,
        id: OrganizationId,
        name: String,
        plan_features: Vec<PlanFeature>,
    ) -> Organization {
        let now = self.0.clock.now();
        Organization {
            id,
            name,
            plan_features,
            created_at: now,
            updated_at: now,
        }
    }

    /// An organization. 404 when there is none of this id.
    pub async fn organization(&self, id: OrganizationId) -> Result<Stored<Organization>, Error> {
        let key = key::organization(id);
        self.0.one(&key, OrganizationId::NOUN).await
    }

    /// Changes the tenant's organization, and what reference search finds it by.
    pub async fn update_organization(
        &self,
        permit: impl Into<Permit>,
        update: OrganizationUpdate,
    ) -> Result<Stored<Organization>, Error> {
        let change = |organization: &mut Organization| update.clone().apply(organization);
        self.change_organization(permit, change).await
    }

    /// Replaces what the plan includes. 404 when there is no such organization.
    pub async fn set_plan_features(
        &self,
        permit: impl Into<Permit>,
        features: Vec<PlanFeature>,
    ) -> Result<Stored<Organization>, Error> {
        let change =
            |organization: &mut Organization| organization.plan_features.clone_from(&features);
        self.change_organization(permit, change).await
    }

    async fn change_organization(
        &self,
        permit: impl Into<Permit>,
        change: impl Fn(&mut Organization),
    ) -> Result<Stored<Organization>, Error> {
        let permit = permit.into();
        let table = &self.0.table;
        let key = key::organization(permit.tenant());
        let read = || table.get(&key, Read::Consistent);
        let change = &change;
        let write = |given: Given, organization: Option<Stored<Organization>>| async move {
            let mut organization = given.current(organization, OrganizationId::NOUN)?;
            let was_called = organization.name.clone();
            change(&mut organization);
            organization.updated_at = self.0.clock.now();
            let mut writes = vec![Write::replace(&organization)?];
            if organization.name != was_called {
                writes.push(Write::put(&Reference::from(&organization.record))?);
            }
            let done = table.transact(writes).await?;
            Ok(done.is_ok().then(|| organization.replaced()))
        };
        permit.rewrite(read, write).await
    }

    /// All organizations by id, for the operator: reads every id that was ever given out, which is
    /// a request and at most 50 read units for each hundred. No request of the API asks this.
    pub async fn organizations(&self) -> Result<Vec<Organization>, Error> {
        let last = self.0.last_id::<OrganizationId>().await?;
        let ids = (1..=last.min(MAX_ID)).filter_map(OrganizationId::new);
        let ids: Vec<OrganizationId> = ids.collect();
        let mut all = Vec::new();
        for some in ids.chunks(100) {
            let keys = some.iter().map(|id| key::organization(*id));
            let found = self.0.table.batch_get(keys, Read::Eventual).await?;
            for id in some {
                let organization = found.get(&key::organization(*id))?;
                all.extend(organization.map(|stored| stored.record));
            }
        }
        Ok(all)
    }
}
