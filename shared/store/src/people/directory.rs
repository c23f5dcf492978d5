//! Organizations, users, customers, projects, phases and tags.

mod customers;
mod members;
mod organizations;
mod phases;
mod projects;
mod tags;
mod users;

pub use members::{MemberWithUsers, Members};
pub use organizations::PlanChange;
pub use users::NewUser;

pub(crate) use users::{count_admins, email_taken, take_email};

use model::{
    base::{
        ReferenceType,
        words::{spaced, words},
    },
    people::Organization,
    work::Project,
};

use crate::{
    base::{record::record, records::Reference, store::resource},
    key,
};

pub(crate) use customers::NamedCustomer;
pub(crate) use projects::takes_work;

resource! { pub Directory as directory }

record! { reference: Reference = "reference", key: key::reference(reference), }

impl From<&Organization> for Reference {
    fn from(organization: &Organization) -> Self {
        Self {
            organization_id: organization.id,
            refers_to: ReferenceType::Organization,
            id: organization.id.into(),
            words: spaced(words(&organization.name)),
            created_at: organization.created_at,
        }
    }
}

impl From<&Project> for Reference {
    fn from(project: &Project) -> Self {
        Self {
            organization_id: project.organization_id,
            refers_to: ReferenceType::Project,
            id: project.id.into(),
            words: spaced(words(&project.title)),
            created_at: project.created_at,
        }
    }
}

pub(crate) mod totals {
    pub(crate) const CUSTOMERS: &str = "customers";
    pub(crate) const ACTIVE_PROJECTS: &str = "activeProjects";
    /// Manual minutes that succeeded automated actions saved.
    pub(crate) const MINUTES_SAVED: &str = "minutesSaved";
}
