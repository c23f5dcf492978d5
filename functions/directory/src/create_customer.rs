//! `POST /api/customers`

use shared::{
    endpoint::*,
    http::refusal::{DomainTaken, NameTaken, TooManyCustomers},
    model::people::{Customer, CustomerCreate},
};

/// Creates a customer.
///
/// Its name is unique in the organization, without regard to case (409 `name_taken`). Each of its
/// domains is of one customer only (409 `domain_taken`). An organization has up to 10,000
/// customers.
#[utoipa::path(post, path = "/api/customers")]
pub async fn create_customer(
    caller: Caller<need::ManageDirectory>,
    Body(new): Body<CustomerCreate>,
) -> Result<Single<Shown<Customer>>, Problem<(NameTaken, DomainTaken, TooManyCustomers)>> {
    let directory = caller.app.store.directory();
    let customer = directory
        .create_customer(caller.write(), new)
        .await?;
    Ok(Single(customer.into()))
}
