//! The table that an operator names.

use aws_config::BehaviorVersion;
use shared::{clock::Clock, config, store::Store};

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
