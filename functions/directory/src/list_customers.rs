//! `GET /api/customers`

use shared::{
    endpoint::*,
    model::people::{Customer, CustomerFilter, CustomerSort},
};

/// Lists the customers of the caller's organization by name.
///
/// Archived ones are listed only with `archived=true`.
#[utoipa::path(get, path = "/api/customers")]
pub async fn list_customers(
    caller: Caller<need::ViewWork, Listing<CustomerFilter, CustomerSort>>,
) -> Result<List<Shown<Customer>>, Problem> {
    let pages = caller.pages()?;
    let tenant = caller.tenant();
    let filter = &caller.query.filter;
    let directory = caller.app.store.directory();
    let page = directory.customers(tenant, caller.user_id(), filter, &pages.wanted);
    Ok(pages.answer(page.await?, Shown::from)?)
}
