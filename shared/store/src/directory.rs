//! Organizations, users, projects, phases and tags.

mod organizations;
mod phases;
mod projects;
mod tags;
mod users;

pub use users::NewUser;

pub(super) use projects::takes_work;
pub(super) use tags::NameOfTag;

use model::{Organization, OrganizationId, Project, ReferenceId, ReferenceType, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    Store,
    key::{self, Key},
    table::Record,
};

/// Organizations, users, projects, phases and tags.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a>(pub(super) &'a Store);

/// What reference search filters: small, so that a search reads little.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reference {
    pub(super) organization_id: OrganizationId,
    pub(super) refers_to: ReferenceType,
    pub(super) id: ReferenceId,
    /// The title's words in folded form, each with a space before it, so that ` ac` is in it
    /// exactly when a word begins with `ac`.
    pub(super) words: String,
    pub(super) created_at: Timestamp,
}

impl Record for Reference {
    const KIND: &'static str = "reference";

    fn key(&self) -> Key<Self> {
        key::reference(self)
    }
}

impl From<&Organization> for Reference {
    fn from(organization: &Organization) -> Self {
        Self {
            organization_id: organization.id,
            refers_to: ReferenceType::Organization,
            id: organization.id.into(),
            words: words(&organization.name).concat(),
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
            words: words(&project.title).concat(),
            created_at: project.created_at,
        }
    }
}

/// The organization's running totals.
pub(super) mod totals {
    /// Projects with status active.
    pub(crate) const ACTIVE_PROJECTS: &str = "activeProjects";
    /// Manual minutes that succeeded automated actions saved.
    pub(crate) const MINUTES_SAVED: &str = "minutesSaved";
}

/// A text's words in folded form, as [`Reference::words`] has them.
pub(super) fn words(text: &str) -> Vec<String> {
    fold(text)
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!(" {word}"))
        .collect()
}

/// A name as it is compared with others: without regard to case.
pub(super) fn fold(name: &str) -> String {
    caseless::default_case_fold_str(name)
}
