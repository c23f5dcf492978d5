//! Organizations that an instance read for authentication with their scopes, for five seconds.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use model::{
    base::{OrganizationId, ProjectId, Timestamp, span},
    people::{Organization, Scopes},
};

/// Milliseconds for which an organization is used without another read. A withdrawn plan holds that
/// much longer.
const KEPT: i64 = 5 * span::SECOND;

/// The most organizations in memory: about 1 MB.
const MOST: usize = 1_000;

/// The most projects of an organization that are remembered as met: about 1 MB.
const MOST_MET: usize = 10_000;

/// Scopes, and an instant before they were read.
pub(crate) type AsOf = (Scopes, Timestamp);

/// Scopes that know some projects.
pub(crate) enum Knowing {
    /// The ones at hand.
    Same,
    Newer(AsOf),
}

/// The organizations that were read last. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecentOrganizations(Arc<Mutex<HashMap<OrganizationId, Recent>>>);

#[derive(Debug)]
struct Recent {
    /// An instant before the read.
    at: Timestamp,
    organization: Organization,
    scopes: Scopes,
    /// An instant before the scopes were read: that of the organization, or a later one.
    scopes_at: Timestamp,
    /// Projects that the instance met. Scopes of this instant, or of a later one, know them.
    met: HashMap<ProjectId, Timestamp>,
}

impl Recent {
    fn scopes_as_of(&self) -> AsOf {
        (self.scopes.clone(), self.scopes_at)
    }

    fn holds(&self, now: Timestamp) -> bool {
        self.at <= now && now < self.at.plus(KEPT)
    }
}

impl RecentOrganizations {
    /// The organization and its scopes, if they were read within the last five seconds.
    pub(crate) fn get(&self, id: OrganizationId, now: Timestamp) -> Option<(Organization, AsOf)> {
        let organizations = self.all();
        let recent = organizations
            .get(&id)
            .filter(|recent| recent.holds(now))?;
        Some((recent.organization.clone(), recent.scopes_as_of()))
    }

    /// Keeps an organization that was read after `at`. If there are too many, those of more than
    /// five seconds ago are dropped, or all.
    pub(crate) fn keep(&self, organization: &Organization, scopes: &Scopes, at: Timestamp) {
        let mut organizations = self.all();
        let met = organizations
            .remove(&organization.id)
            .map(|earlier| earlier.met)
            .filter(|met| met.len() < MOST_MET);
        if organizations.len() >= MOST {
            organizations.retain(|_, recent| recent.holds(at));
        }
        if organizations.len() >= MOST {
            organizations.clear();
        }
        let recent = Recent {
            at,
            organization: organization.clone(),
            scopes: scopes.clone(),
            scopes_at: at,
            met: met.unwrap_or_default(),
        };
        organizations.insert(organization.id, recent);
    }

    /// Returns scopes that know these projects: those of `as_of`, or newer ones in memory. `None`
    /// where a project is met for the first time.
    pub(crate) fn knowing(
        &self,
        id: OrganizationId,
        projects: &BTreeSet<ProjectId>,
        as_of: Timestamp,
    ) -> Option<Knowing> {
        let organizations = self.all();
        let recent = organizations.get(&id)?;
        let met_at = projects
            .iter()
            .map(|project| recent.met.get(project).copied())
            .collect::<Option<Vec<Timestamp>>>()?;
        let last = met_at.into_iter().max()?;
        if last <= as_of {
            return Some(Knowing::Same);
        }
        (last <= recent.scopes_at).then(|| Knowing::Newer(recent.scopes_as_of()))
    }

    /// Keeps scopes that were read after `at`, when the instance met these projects.
    pub(crate) fn renew(
        &self,
        id: OrganizationId,
        scopes: &Scopes,
        at: Timestamp,
        projects: impl IntoIterator<Item = ProjectId>,
    ) {
        let mut organizations = self.all();
        let Some(recent) = organizations.get_mut(&id) else {
            return;
        };
        if recent.scopes_at <= at {
            recent.scopes = scopes.clone();
            recent.scopes_at = at;
        }
        recent.met.extend(
            projects
                .into_iter()
                .map(|project| (project, at)),
        );
    }

    /// Drops an organization that this instance has changed.
    pub(crate) fn forget(&self, id: OrganizationId) {
        self.all().remove(&id);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<OrganizationId, Recent>> {
        // No change is half done, so that a panic leaves nothing wrong.
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use model::base::quota::UnitsPerSecond;

    use super::*;
    use model::base::Id;

    fn scopes(of: &Organization) -> Scopes {
        Scopes::none(of.id)
    }

    fn organization(id: i64, now: Timestamp) -> Organization {
        Organization {
            id: OrganizationId::new(id).unwrap(),
            name: "Halden Services".to_owned(),
            plan_features: Vec::new(),
            units_per_second: UnitsPerSecond::default(),
            invitations_per_day: Organization::usual_invitations(),
            web_url: None,
            suspended: None,
            import_of: None,
            leavers: None,
            created_at: now,
            updated_at: now,
        }
    }

    #[test]
    fn an_organization_is_kept_for_five_seconds() {
        let recent = RecentOrganizations::default();
        let now = Timestamp::from_millis(1_000_000);
        let organization = organization(1, now);
        recent.keep(&organization, &scopes(&organization), now);
        assert!(
            recent
                .get(organization.id, now)
                .is_some()
        );
        assert!(
            recent
                .get(organization.id, now.plus(4_999))
                .is_some()
        );
        assert!(
            recent
                .get(organization.id, now.plus(5_000))
                .is_none()
        );
        // A clock that was set back does not make it live longer.
        assert!(
            recent
                .get(organization.id, now.plus(-1))
                .is_none()
        );
        recent.forget(organization.id);
        assert!(
            recent
                .get(organization.id, now)
                .is_none()
        );
    }

    #[test]
    fn there_are_never_more_than_a_thousand() {
        let recent = RecentOrganizations::default();
        let now = Timestamp::from_millis(1_000_000);
        for id in 1..=1_000 {
            let organization = organization(id, now);
            recent.keep(&organization, &scopes(&organization), now);
        }
        assert_eq!(recent.all().len(), MOST);
        let other = organization(1_001, now);
        recent.keep(&other, &scopes(&other), now);
        assert_eq!(recent.all().len(), 1);
        let later = now.plus(KEPT);
        for id in 1..=1_500 {
            let organization = organization(id, later);
            recent.keep(&organization, &scopes(&organization), later.plus(id));
            assert!(recent.all().len() <= MOST);
        }
    }
}
