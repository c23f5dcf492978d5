//! `PATCH /api/customers/{id}`

use shared::{
    endpoint::*,
    http::refusal::{DomainTaken, NameTaken},
    model::{
        base::CustomerId,
        people::{Customer, CustomerUpdate},
    },
};

/// Updates a customer.
///
/// Its name is unique in the organization, without regard to case (409 `name_taken`). Each of its
/// domains is of one customer only (409 `domain_taken`). An archived customer keeps its records.
/// New projects, tickets and requests for it are 409 `customer_archived`.
#[utoipa::path(patch, path = "/api/customers/{id}")]
pub async fn update_customer(
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<CustomerId>>,
    Body(update): Body<CustomerUpdate>,
) -> Result<Single<Shown<Customer>>, Problem<(ConcurrentChange, NameTaken, DomainTaken)>> {
    let directory = caller.app.store.directory();
    let customer = directory.update_customer(caller.write(), id.known()?, update);
    Ok(Single(customer.await?.into()))
}
