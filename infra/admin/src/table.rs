//! The table that an operator names.

use shared::{clock::Clock, config, store::Store};

/// Opens the store on a table.
pub(crate) async fn open(table: &str) -> Store {
    let client = aws_sdk_dynamodb::Client::new(&config::Patience::Background.load().await);
    Store::new(client, table, Clock::system())
}
