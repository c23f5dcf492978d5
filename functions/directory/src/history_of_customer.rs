//! `GET /api/customers/{id}/history`

use shared::{
    endpoint::*,
    model::base::{CustomerId, HistoryOf, HistorySort},
    store::base::EntryWithActor,
};

/// Lists the changes of a customer, newest first.
#[utoipa::path(get, path = "/api/customers/{id}/history")]
pub async fn list_customer_history(
    caller: Caller<need::ViewWork, Listing<(), HistorySort>>,
    Path(id): Path<PathId<CustomerId>>,
) -> Result<List<EntryWithActor>, Problem> {
    caller
        .history(HistoryOf::from(id.known()?))
        .await
}
