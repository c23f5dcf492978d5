//! Keys of projects, phases, tags and customers, and of reference search.

use model::{
    base::{CustomerId, Id, ProjectId, RecordType, Tagged, UserId},
    people::{Customer, Tag},
    work::{Phase, Project, ServiceRequest, Ticket},
};
use table::{Gsi1, Gsi3, Key, RecordList, SortKey, padded};

use crate::{
    Tenant,
    base::records::{DomainOfCustomer, NameOfCustomer, NameOfTag, ProjectMember, Reference, Tags},
};

use super::format::{
    below, instant_then_id, keys, name, name_then_id, of_record, partition, record_of,
};

keys! {
    /// The organization's projects by title.
    pub fn projects(tenant: Tenant) -> RecordList<Project, Gsi1> = partition(tenant, RecordType::Project);
    /// A project's phases by order, then id.
    pub fn phases_of_project(tenant: Tenant, project: ProjectId) -> RecordList<Phase, Gsi1>
        = of_record(tenant, project, RecordType::Phase);
    /// A project's members by id.
    pub(crate) fn members_of_project(tenant: Tenant, project: ProjectId) -> RecordList<ProjectMember>
        = below(tenant, RecordType::Project, project, "MEMBER");
    pub(crate) fn project_member(tenant: Tenant, project: ProjectId, user: UserId) -> Key<ProjectMember>
        = members_of_project(tenant, project) => SortKey::new(padded(user.get()));
    /// The organization's tags by name.
    pub fn tags(tenant: Tenant) -> RecordList<Tag, Gsi1> = partition(tenant, RecordType::Tag);
    /// The tag of a case-folded name, which is unique in the organization.
    pub(crate) fn name_of_tag(tenant: Tenant, folded_name: &str) -> Key<NameOfTag>
        = format!("ORG#{tenant}#TAG_NAME"), folded_name;
    /// The organization's customers by name.
    pub fn customers(tenant: Tenant) -> RecordList<Customer, Gsi1>
        = partition(tenant, RecordType::Customer);
    /// The customer of a case-folded name, which is unique in the organization.
    pub(crate) fn name_of_customer(tenant: Tenant, folded_name: &str) -> Key<NameOfCustomer>
        = format!("ORG#{tenant}#CUSTOMER_NAME"), folded_name;
    /// The customer of a domain, which is unique in the organization.
    pub(crate) fn domain_of_customer(tenant: Tenant, domain: &str) -> Key<DomainOfCustomer>
        = format!("ORG#{tenant}#CUSTOMER_DOMAIN"), domain;
    /// A customer's tickets by creation.
    pub fn tickets_of_customer(tenant: Tenant, customer: CustomerId) -> RecordList<Ticket, Gsi3>
        = of_record(tenant, customer, RecordType::Ticket);
    /// A customer's service requests by creation.
    pub fn service_requests_of_customer(tenant: Tenant, customer: CustomerId) -> RecordList<ServiceRequest, Gsi3>
        = of_record(tenant, customer, RecordType::ServiceRequest);
    /// A customer's key in [`customers`].
    pub fn customer_by_name(customer: &Customer) -> Key<Customer, Gsi1>
        = customers(customer.organization_id) => name_then_id(&customer.name, customer.id);
    /// The possible references of a service request, by creation: small items that reference search
    /// filters.
    pub(crate) fn references(tenant: Tenant) -> RecordList<Reference> = format!("ORG#{tenant}#REFERENCE");
    /// The records of a type with tags, by id, of which only the tags are read.
    pub(crate) fn tagged_records(tenant: Tenant, kind: RecordType) -> RecordList<Tags>
        = partition(tenant, kind);
    /// A project's key in [`projects`].
    pub fn project_by_title(project: &Project) -> Key<Project, Gsi1>
        = projects(project.organization_id) => name_then_id(&project.title, project.id);
    /// A tag's key in [`tags`].
    pub fn tag_by_name(tag: &Tag) -> Key<Tag, Gsi1>
        = tags(tag.organization_id) => name_then_id(&tag.name, tag.id);
}

/// A phase's key in [`phases_of_project`].
pub fn phase_in_project(phase: &Phase) -> Key<Phase, Gsi1> {
    let order = padded(phase.order.get());
    let id = padded(phase.id.get());
    let phases = phases_of_project(phase.organization_id, phase.project_id);
    phases.at(SortKey::new(format!("{order}#{id}")))
}

/// A key in [`references`].
pub(crate) fn reference(reference: &Reference) -> Key<Reference> {
    let name = name(*reference.refers_to, reference.id);
    references(reference.organization_id)
        .at(SortKey::new(format!("{}#{name}", reference.created_at)))
}

/// A record of which only the tags are read.
pub(crate) fn tagged(tenant: Tenant, tagged: Tagged) -> Key<Tags> {
    record_of(tenant, tagged.kind(), tagged.id())
}

/// A ticket's key in [`tickets_of_customer`], if it has a customer.
pub fn ticket_of_customer(ticket: &Ticket) -> Option<Key<Ticket, Gsi3>> {
    let tickets = tickets_of_customer(ticket.organization_id, ticket.customer_id?);
    Some(tickets.at(instant_then_id(ticket.created_at, ticket.id)))
}

/// A service request's key in [`service_requests_of_customer`], if it has a customer.
pub fn service_request_of_customer(request: &ServiceRequest) -> Option<Key<ServiceRequest, Gsi3>> {
    let requests = service_requests_of_customer(request.organization_id, request.customer_id?);
    Some(requests.at(instant_then_id(request.created_at, request.id)))
}
