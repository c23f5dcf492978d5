//! The table that an operator names.

use aws_config::BehaviorVersion;
use shared::{clock::Clock, config, model::base::OrganizationId, store::base::Store};

use crate::{arguments::organization_id, error::Error, terminal};

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

/// Does work for the named organizations, or for all if none is named. Names each one whose work
/// fails, and goes on. Returns the number of failures, with those of work that returns false. Does
/// nothing if one of the named does not exist.
pub(crate) async fn each(
    store: &Store,
    named: &[String],
    mut work: impl AsyncFnMut(OrganizationId) -> Result<bool, Error>,
) -> Result<usize, Error> {
    let named = named
        .iter()
        .map(|id| organization_id(id));
    let named = named.collect::<Result<Vec<_>, _>>()?;
    let mut failed = 0;
    for id in organizations(store, named).await? {
        let done = work(id).await;
        if let Err(error) = &done {
            terminal::fail(&format!("organization {id}: {error}"));
        }
        failed += usize::from(!done.unwrap_or(false));
    }
    Ok(failed)
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
