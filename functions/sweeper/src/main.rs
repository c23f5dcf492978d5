//! The `sweeper` function: wires the sweeper to its schedule.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use shared::{
    clock::Clock,
    config::{self, Environment},
    queue::Queue,
    store::Store,
    telemetry,
};
use sweeper::Sweeper;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let environment = Environment::process();
    let aws = config::aws().await;
    let table = config::table(&environment)?;
    let store = Store::new(aws_sdk_dynamodb::Client::new(&aws), &table, Clock::system());
    let queue = Queue::new(
        aws_sdk_sqs::Client::new(&aws),
        &config::queue_url(&environment)?,
    );
    let sweeper = &Sweeper::new(store, queue);
    lambda_runtime::run(service_fn(async |_: LambdaEvent<serde_json::Value>| {
        Ok::<_, Error>(sweeper.sweep().await)
    }))
    .await
}
