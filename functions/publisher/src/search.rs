//! The search index.

use model::{Error, OrganizationId};
use store::{Change, Store};

/// Brings an organization's search index up to its changes.
pub(crate) async fn index(
    store: &Store,
    organization: OrganizationId,
    changes: &[Change],
) -> Result<(), Error> {
    Box::pin(store.search().index(organization, changes)).await
}
