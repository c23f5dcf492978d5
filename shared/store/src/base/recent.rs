//! Organizations that an instance read for authentication, for five seconds.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use model::{
    base::{OrganizationId, Timestamp, span},
    people::Organization,
};

/// Milliseconds for which an organization is used without another read. A withdrawn plan holds that
/// much longer.
const KEPT: i64 = 5 * span::SECOND;

/// The most organizations in memory: about 1 MB.
const MOST: usize = 1_000;

/// The organizations that were read last. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecentOrganizations(Arc<Mutex<HashMap<OrganizationId, Recent>>>);

#[derive(Debug)]
struct Recent {
    /// An instant before the read.
    at: Timestamp,
    organization: Organization,
}

impl Recent {
    fn holds(&self, now: Timestamp) -> bool {
        self.at <= now && now < self.at.plus(KEPT)
    }
}

impl RecentOrganizations {
    /// The organization, if it was read within the last five seconds.
    pub(crate) fn get(&self, id: OrganizationId, now: Timestamp) -> Option<Organization> {
        let organizations = self.all();
        let recent = organizations
            .get(&id)
            .filter(|recent| recent.holds(now))?;
        Some(recent.organization.clone())
    }

    /// Keeps an organization that was read after `at`. If there are too many, those of more than
    /// five seconds ago are dropped, or all.
    pub(crate) fn keep(&self, organization: &Organization, at: Timestamp) {
        let mut organizations = self.all();
        if organizations.len() >= MOST {
            organizations.retain(|_, recent| recent.holds(at));
        }
        if organizations.len() >= MOST {
            organizations.clear();
        }
        let organization = organization.clone();
        organizations.insert(organization.id, Recent { at, organization });
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
        recent.keep(&organization, now);
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
            recent.keep(&organization(id, now), now);
        }
        assert_eq!(recent.all().len(), MOST);
        recent.keep(&organization(1_001, now), now);
        assert_eq!(recent.all().len(), 1);
        let later = now.plus(KEPT);
        for id in 1..=1_500 {
            recent.keep(&organization(id, later), later.plus(id));
            assert!(recent.all().len() <= MOST);
        }
    }
}
