//! Keys of projects, phases and tags, and of reference search.

use model::{Id, OrganizationId, Phase, PhaseId, Project, ProjectId, RecordType, Tag, TagId};
use table::{Gsi1, Key, List, Sort, padded};

use super::format::{name, name_then_id, of_record, partition, record};
use crate::records::{NameOfTag, Reference};

pub fn project(tenant: OrganizationId, id: ProjectId) -> Key<Project> {
    record(tenant, id)
}

/// The organization's projects by title.
pub fn projects(tenant: OrganizationId) -> List<Project, Gsi1> {
    List::new(partition(tenant, RecordType::Project))
}

/// A project's key in [`projects`].
pub fn project_by_title(project: &Project) -> Key<Project, Gsi1> {
    projects(project.organization_id).at(name_then_id(&project.title, project.id))
}

pub fn phase(tenant: OrganizationId, id: PhaseId) -> Key<Phase> {
    record(tenant, id)
}

/// A project's phases by order, then id.
pub fn phases_of_project(tenant: OrganizationId, project: ProjectId) -> List<Phase, Gsi1> {
    List::new(of_record(tenant, project, RecordType::Phase))
}

/// A phase's key in [`phases_of_project`].
pub fn phase_in_project(phase: &Phase) -> Key<Phase, Gsi1> {
    let (order, id) = (padded(phase.order.get()), padded(phase.id.get()));
    let phases = phases_of_project(phase.organization_id, phase.project_id);
    phases.at(Sort::new(format!("{order}#{id}")))
}

pub fn tag(tenant: OrganizationId, id: TagId) -> Key<Tag> {
    record(tenant, id)
}

/// The organization's tags by name.
pub fn tags(tenant: OrganizationId) -> List<Tag, Gsi1> {
    List::new(partition(tenant, RecordType::Tag))
}

/// A tag's key in [`tags`].
pub fn tag_by_name(tag: &Tag) -> Key<Tag, Gsi1> {
    tags(tag.organization_id).at(name_then_id(&tag.name, tag.id))
}

/// The tag of a case-folded name, which is unique in the organization.
pub(crate) fn name_of_tag(tenant: OrganizationId, folded_name: &str) -> Key<NameOfTag> {
    Key::new(format!("ORG#{tenant}#TAG_NAME"), folded_name)
}

/// The possible references of a service request, by creation: small items that reference search filters.
pub(crate) fn references(tenant: OrganizationId) -> List<Reference> {
    List::new(format!("ORG#{tenant}#REFERENCE"))
}

/// A key in [`references`].
pub(crate) fn reference(reference: &Reference) -> Key<Reference> {
    let name = name(*reference.refers_to, reference.id);
    let place = format!("{}#{name}", reference.created_at);
    references(reference.organization_id).at(Sort::new(place))
}
