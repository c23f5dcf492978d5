//! Customers, whose names and domains are unique in an organization.

use std::future::ready;

use model::{
    base::{
        Code, CustomerId, Error, Fault, HistoryOf, Id, UserId, unique_name,
        words::{spaced, words},
    },
    people::{Customer, CustomerCreate, CustomerFilter, CustomerUpdate},
};
use table::{
    AnyKey, Batch, Condition, Key, Stored, UpdateExpression, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, WriteContext,
        filter::Filter,
        record::record,
        records::{DomainOfCustomer, NameOfCustomer},
        tracked::Tracked,
        unique::take_keys,
        writes::Writes,
    },
    key::{self, Keyed},
};

use super::{Directory, totals};

/// The most customers of an organization, with the archived ones.
const MOST: i64 = 10_000;

record! {
    customer: Customer, id: CustomerId,
    gsi1: Some(key::customer_by_name(customer)),
    words: Some(spaced(words(&customer.name))),
    hidden: ["organizationId"],
}

record! {
    name: NameOfCustomer = "customer_name",
    key: key::name_of_customer(name.organization_id, &name.name),
}

record! {
    domain: DomainOfCustomer = "customer_domain",
    key: key::domain_of_customer(domain.organization_id, &domain.domain),
}

impl Tracked for Customer {
    fn history(&self) -> Option<HistoryOf> {
        Some(self.id.into())
    }
}

/// The customer of a request, if it names one. It must be of the organization, and not archived.
#[derive(Clone, Debug)]
pub(crate) struct NamedCustomer(Option<(CustomerId, Key<Customer>)>);

impl NamedCustomer {
    pub(crate) fn new(tenant: Tenant, named: Option<&CustomerId>) -> Self {
        Self(named.map(|id| (*id, id.key(tenant))))
    }

    /// The key that [`fault`](Self::fault) needs.
    pub(crate) fn key(&self) -> Option<AnyKey> {
        self.0
            .as_ref()
            .map(|(_, key)| key.into())
    }

    /// Returns the fault of a customer who is not in `batch`. 409 for an archived one, unless the
    /// record had it `before`.
    ///
    /// The customer is read just before the write, and not checked by the write, as a
    /// [project](super::takes_work) is.
    pub(crate) fn fault(&self, batch: &Batch, before: Option<CustomerId>) -> Result<Option<Fault>> {
        let Some((id, key)) = self.0.as_ref() else {
            return Ok(None);
        };
        let Some(customer) = batch.named(key) else {
            return Ok(Some(Fault::unknown("customerId", CustomerId::NOUN)));
        };
        if before != Some(*id) {
            customer.takes_records()?;
        }
        Ok(None)
    }

    /// 400 for a customer with a fault, 409 as [`fault`](Self::fault).
    pub(crate) fn known(&self, batch: &Batch, before: Option<CustomerId>) -> Result<()> {
        self.fault(batch, before)?
            .map_or(Ok(()), |fault| Err(Error::invalid(fault)))
    }
}

impl Directory<'_> {
    /// The organization's customers that match a filter, by name. Archived ones only where the
    /// filter asks for them.
    pub async fn customers(
        &self,
        tenant: Tenant,
        caller: UserId,
        filter: &CustomerFilter,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<Customer>>> {
        let archived = filter.archived.unwrap_or(false);
        let fits = Filter::of(caller)
            .query(filter.query.as_ref())
            .is("archived", Some(archived));
        let customers = key::customers(tenant).filter(fits.condition());
        self.0
            .table
            .page(customers, wanted)
            .await
    }

    /// One customer. 404 when it is not the tenant's.
    pub async fn customer(&self, tenant: Tenant, id: CustomerId) -> Result<Stored<Customer>> {
        self.0.get(tenant, id).await
    }

    /// Creates a customer. 409 when another one has its name or one of its domains, and when the
    /// organization has 10,000.
    pub async fn create_customer(
        &self,
        pending: impl Pending,
        new: CustomerCreate,
    ) -> Result<InScope<Customer>> {
        let customer = |context: &WriteContext, id, (), now| {
            let customer = Customer::new(id, context.tenant, new, now);
            let mut writes = take(&customer, None)?;
            let is_room = Condition::default().absent_or(totals::CUSTOMERS, "# < :", MOST);
            let count = UpdateExpression::default().add(totals::CUSTOMERS, 1);
            let count = Write::update(key::totals(context.tenant), count, is_room);
            let detail = format!("The organization has {MOST} customers, the most allowed.");
            writes.push_or(count, Error::conflict(Code::TooManyCustomers, detail));
            Ok((customer, writes))
        };
        let nothing = ready(Ok(()));
        self.0
            .create(pending, nothing, customer)
            .await
    }

    /// Changes a customer. 404 when it is not the tenant's, 409 when another one has its new name
    /// or a new domain.
    pub async fn update_customer(
        &self,
        pending: impl Pending,
        id: CustomerId,
        update: CustomerUpdate,
    ) -> Result<InScope<Customer>> {
        let change = |_: &WriteContext, customer: &mut Customer, now| {
            let had = customer.clone();
            customer.change(update.clone(), now);
            if customer.name == had.name && customer.domains == had.domains {
                return Ok(Writes::default());
            }
            take(customer, Some(&had))
        };
        self.0.update(pending, id, change).await
    }
}

/// The writes of a customer's new name and domains; `had` is the customer before.
fn take(customer: &Customer, had: Option<&Customer>) -> Result<Writes> {
    let is_free_or_own = Condition::default().absent_or("customerId", "# = :", customer.id);
    let name_of = |customer: &Customer| NameOfCustomer {
        organization_id: customer.organization_id,
        name: unique_name::key(&customer.name),
        customer_id: customer.id,
    };
    let domains_of = |customer: &Customer| {
        let of_domain = |domain: &_| DomainOfCustomer {
            organization_id: customer.organization_id,
            domain: Clone::clone(domain),
            customer_id: customer.id,
        };
        let domains = customer.domains.iter().map(of_domain);
        domains.collect::<Vec<_>>()
    };
    let name_taken = || Error::conflict(Code::NameTaken, "Another customer has this name.");
    let had_name: Vec<_> = had.map(name_of).into_iter().collect();
    let had_domains = had.map(domains_of).unwrap_or_default();
    let mut writes = take_keys(&[name_of(customer)], &had_name, &is_free_or_own, name_taken)?;
    writes.append(take_keys(
        &domains_of(customer),
        &had_domains,
        &is_free_or_own,
        domain_taken,
    )?);
    Ok(writes)
}

fn domain_taken() -> Error {
    let detail = "Another customer has one of these domains. A domain is of one customer only.";
    Error::conflict(Code::DomainTaken, detail)
}
