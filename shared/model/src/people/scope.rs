//! The scope of a user: the records that they see. The role says what a user may do, the scope says
//! where.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    base::{CustomerId, OrganizationId, ProjectId, Timestamp, UserId, span},
    people::{Permission, User},
};

/// The projects of an organization that not all of its users see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scopes {
    pub organization_id: OrganizationId,
    /// The projects with `visibility: members`.
    #[serde(default)]
    pub restricted: BTreeSet<ProjectId>,
}

/// The records that a user sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of the organization: of those who manage it, and of the service itself.
    Organization,
    /// All but the restricted projects whose member the user is not, with their records.
    Staff(StaffScope),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffScope {
    restricted: BTreeSet<ProjectId>,
    member_of: BTreeSet<ProjectId>,
    /// An instant before the restricted projects were read.
    pub as_of: Timestamp,
}

/// The property by which a record is in scope, or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The record is of the organization at large.
    Organization,
    /// The record is a project, and says itself whether it is restricted.
    Project { id: ProjectId, is_restricted: bool },
    /// The record is of a project.
    InProject(ProjectId),
    /// The record is of a customer, or of none, and a user may have raised it.
    Raised {
        customer: Option<CustomerId>,
        creator: Option<UserId>,
    },
}

impl Scopes {
    /// The most restricted projects of an organization.
    pub const MOST_RESTRICTED: usize = 1_000;

    pub const fn none(organization_id: OrganizationId) -> Self {
        Self {
            organization_id,
            restricted: BTreeSet::new(),
        }
    }
}

impl Scopes {
    /// Returns true for a record of this place that the user sees.
    pub fn show(&self, user: &User, place: Place) -> bool {
        let as_of = Timestamp::from_millis(0);
        Scope::of(user, self, as_of).sees(place)
    }
}

impl Scope {
    /// The scope of a user, by scopes that were read after `as_of`.
    pub fn of(user: &User, scopes: &Scopes, as_of: Timestamp) -> Self {
        if user.may(Permission::ManageOrganization) {
            return Self::Organization;
        }
        Self::Staff(StaffScope {
            restricted: scopes.restricted.clone(),
            member_of: user.member_of.clone(),
            as_of,
        })
    }

    /// The scope of the same user, by newer scopes.
    #[must_use]
    pub fn renewed(&self, scopes: &Scopes, as_of: Timestamp) -> Self {
        match self {
            Self::Organization => Self::Organization,
            Self::Staff(staff) => Self::Staff(StaffScope {
                restricted: scopes.restricted.clone(),
                member_of: staff.member_of.clone(),
                as_of,
            }),
        }
    }

    /// Returns true for a record of this place.
    pub fn sees(&self, place: Place) -> bool {
        let Self::Staff(staff) = self else {
            return true;
        };
        match place {
            Place::Project { id, is_restricted } => !is_restricted || staff.is_member(id),
            Place::InProject(id) => !staff.restricted.contains(&id) || staff.is_member(id),
            Place::Organization | Place::Raised { .. } => true,
        }
    }

    /// Returns true if it has all projects.
    pub fn has_all_projects(&self) -> bool {
        match self {
            Self::Organization => true,
            Self::Staff(staff) => staff
                .restricted
                .is_subset(&staff.member_of),
        }
    }
}

impl StaffScope {
    /// Milliseconds by which the clocks of two instances may differ.
    const SKEW: i64 = 5 * span::SECOND;

    /// The project of a record made at `since`, if the scope may be older than the project. Its
    /// restriction is not known then.
    pub fn may_precede(&self, place: Place, since: Option<Timestamp>) -> Option<ProjectId> {
        let Place::InProject(id) = place else {
            return None;
        };
        let is_newer = since.is_none_or(|since| since >= self.as_of.plus(-Self::SKEW));
        let is_known = self.restricted.contains(&id) || self.is_member(id);
        (is_newer && !is_known).then_some(id)
    }

    fn is_member(&self, project: ProjectId) -> bool {
        self.member_of.contains(&project)
    }
}

impl Place {
    /// The place of a record that is of a project, or of none.
    pub fn of_project(project: Option<ProjectId>) -> Self {
        project.map_or(Self::Organization, Self::InProject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Id;

    fn project(number: i64) -> ProjectId {
        ProjectId::new(number).unwrap()
    }

    /// Projects 2 and 3 are restricted, and the user is a member of 3 and 4.
    fn of_staff() -> StaffScope {
        StaffScope {
            restricted: [project(2), project(3)].into(),
            member_of: [project(3), project(4)].into(),
            as_of: Timestamp::from_millis(100_000),
        }
    }

    fn staff() -> Scope {
        Scope::Staff(of_staff())
    }

    #[test]
    fn staff_sees_all_but_restricted_projects_of_others() {
        let sees = |place| (staff().sees(place), Scope::Organization.sees(place));
        let in_project = |number| Place::InProject(project(number));
        assert_eq!(sees(in_project(1)), (true, true));
        assert_eq!(sees(in_project(2)), (false, true));
        assert_eq!(sees(in_project(3)), (true, true));
        assert_eq!(sees(Place::of_project(None)), (true, true));
        assert!(!staff().has_all_projects());
    }

    #[test]
    fn a_project_says_itself_whether_it_is_restricted() {
        let sees = |number, is_restricted| {
            let id = project(number);
            staff().sees(Place::Project { id, is_restricted })
        };
        assert!(sees(2, false));
        assert!(!sees(5, true));
        assert!(sees(4, true));
    }

    #[test]
    fn a_scope_may_precede_a_record_that_is_about_as_new() {
        let precedes = |number, millis| {
            let place = Place::InProject(project(number));
            let since = Some(Timestamp::from_millis(millis));
            of_staff()
                .may_precede(place, since)
                .is_some()
        };
        assert!(!precedes(1, 94_999));
        assert!(precedes(1, 95_000));
        // What it knows of them does not depend on their age.
        assert!(!precedes(2, 100_000));
        assert!(!precedes(4, 100_000));
        let place = Place::InProject(project(1));
        assert!(
            of_staff()
                .may_precede(place, None)
                .is_some()
        );
    }
}
