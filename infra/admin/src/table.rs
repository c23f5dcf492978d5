//! The table that an operator names.

use aws_config::BehaviorVersion;
use shared::{clock::Clock, config, model::base::OrganizationId, store::base::Store};

use crate::error::Error;

/// Returns a client of the account's queues.
pub(crate) async fn queues() -> aws_sdk_sqs::Client {
    let aws = aws_config::load_defaults(BehaviorVersion::latest()).await;
    aws_sdk_sqs::Client::new(&config::Patience::Background.applied_to(aws))
}

pub(crate) async fn open(table: &str) -> Store {
    let aws = aws_config::load_defaults(BehaviorVersion::latest()).await;
    let aws = config::Patience::Background.applied_to(aws);
    Store::new(aws_sdk_dynamodb::Client::new(&aws), table, Clock::system())
}

/// Returns the named organizations, or all if none is named. An error if one of the named does not
/// exist.
pub(crate) async fn organizations(
    store: &Store,
    named: Vec<OrganizationId>,
) -> Result<Vec<OrganizationId>, Error> {
    let directory = store.directory();
    if named.is_empty() {
        let organizations = directory
            .organizations()
            .await?
            .into_iter();
        return Ok(organizations
            .map(|(id, _)| id)
            .collect());
    }
    let missing = directory.missing(&named).await?;
    if missing.is_empty() {
        return Ok(named);
    }
    let missing = missing.iter().map(ToString::to_string);
    let missing = missing.collect::<Vec<_>>().join(", ");
    Err(Error::Invalid(format!("no such organization: {missing}")))
}
