//! `GET /api/customers/{id}`

use shared::{
    endpoint::*,
    model::{base::CustomerId, people::Customer},
};

/// Returns a customer.
#[utoipa::path(get, path = "/api/customers/{id}")]
pub async fn get_customer(
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<CustomerId>>,
) -> Result<Single<Shown<Customer>>, Problem> {
    let directory = caller.app.store.directory();
    let customer = directory
        .customer(caller.tenant(), id.known()?)
        .await?;
    Ok(Single(customer.into()))
}
